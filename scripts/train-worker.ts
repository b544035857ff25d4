/**
 * Has a worker process of the minion do what usual jobs do, so that its code cache holds what they need
 * (`scripts/build.mjs`): states with files of the master, templates, pillar, requisites, commands.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadMinionConfig } from '../src/config/load.ts';
import { systemClock } from '../src/host/clock.ts';
import { silentLogger } from '../src/host/log.ts';
import { systemRandom } from '../src/host/random.ts';
import { startWorker } from '../src/programs/minion/worker-process.ts';
import { pyRepr, pyStr } from '../src/python/values/repr.ts';
import { dict, type Dict, type Value } from '../src/python/values/value.ts';
import type { MinionServices } from '../src/runtime/loader/module.ts';
import { openFileServer } from '../src/storage/fileserver/open.ts';

const GRAINS = dict({ id: 'build', os: 'Debian', os_family: 'Debian', kernel: 'Linux', shell: '/bin/sh' });
const PILLAR = dict({ web: { port: 80, names: ['a', 'b'] }, text: 'from pillar\n' });
/** For the first time, and again: what does not change takes other ways. */
const ROUNDS = 2;

const folder = mkdtempSync(join(tmpdir(), 'brine-train-'));
const made = join(folder, 'made');
const FILES: Readonly<Record<string, string>> = {
  'top.sls': "base:\n  '*':\n    - web\n",
  'web/map.jinja': `{% set defaults = salt['grains.filter_by']({'Debian': {'package': 'web', 'mode': '0644'}}, default='Debian') %}
{% set web = salt['pillar.get']('web', default=defaults, merge=True) %}
`,
  'web/common.sls': 'common:\n  test.nop: []\n',
  'web/init.sls': `{% from 'web/map.jinja' import web with context %}
include:
  - web.common
{% for name in ['one', 'two'] %}
${made}/{{ name }}.conf:
  file.managed:
    - source: salt://web/files/main.conf
    - template: jinja
    - mode: '{{ web.mode }}'
    - makedirs: True
    - context: {number: {{ loop.index }}}
    - require:
      - file: folder
{% endfor %}
folder:
  file.directory:
    - name: ${made}
    - makedirs: True
plain:
  file.managed:
    - name: ${made}/plain
    - source: salt://web/files/plain
contents:
  file.managed:
    - name: ${made}/contents
    - contents: |
        {{ web.package|upper }} {{ pillar['web']|json }}
    - watch_in:
      - test: nothing
nothing:
  test.nop:
    - require_in:
      - test: succeeds
succeeds:
  test.succeed_without_changes:
    - unless: 'false'
    - onlyif: 'true'
command:
  cmd.run:
    - name: 'true'
    - onchanges:
      - file: plain
`,
  'web/files/main.conf':
    '# {{ grains.id }}\n{% for n in range(3) %}\nline {{ n }} of {{ number }}\n{% endfor %}\n{% if pillar.web is defined %}{{ salt["pillar.get"]("web:port") }}{% endif %}\n',
  'web/files/plain': 'as it is\n',
};

/** The jobs. */
const JOBS: readonly (readonly [fun: string, ...arg: Value[]])[] = [
  ['state.apply', 'web'],
  ['state.highstate'],
  ['state.apply', 'web', dict({ test: true, __kwarg__: true })],
  ['cmd.run', 'true'],
];

try {
  await train();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function train(): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, 'srv', path)), { recursive: true });
    writeFileSync(join(folder, 'srv', path), text);
  }
  const own = [
    'pki_dir: /pki',
    'cachedir: /cache',
    'sock_dir: /run',
    'log_file: /log',
    'extension_modules: /ext',
  ];
  const lines = [`root_dir: ${folder}`, 'id: build', `file_roots: {base: [${folder}/srv]}`, ...own];
  writeFileSync(join(folder, 'minion'), lines.map((line) => `${line}\n`).join(''));
  const opts = loadMinionConfig({ configDir: folder, env: {} }).toDict();
  const services = masterIn(opts);
  const worker = startWorker(process.argv[2] ?? '', () => services);
  let jid = 20_200_101_000_000_000_000n;
  for (let round = 0; round < ROUNDS; round++)
    for (const [fun, ...arg] of JOBS) {
      const pub = dict({ jid: String(++jid), fun, arg, tgt: '*', tgt_type: 'glob', ret: '', user: 'root' });
      const order = { opts, grains: GRAINS, pillar: PILLAR, pub, own: new Map() };
      const { retcode, return: given } = await worker.asks.run(order);
      if (retcode !== 0) throw new Error(`${fun} failed: ${pyRepr(given)}`);
    }
  const ended = new Promise((resolve) => worker.child.once('exit', resolve));
  worker.rpc.close();
  await ended;
}

/** Answers what a worker asks of a master, from files of this folder. */
function masterIn(opts: Dict): MinionServices {
  const clock = systemClock;
  const { commands } = openFileServer({ opts, clock, random: systemRandom, log: silentLogger });
  return {
    fireLocal: () => Promise.resolve(true),
    fireMaster: () => Promise.resolve(true),
    runningJobs: () => Promise.resolve([]),
    signalJob: () => Promise.resolve(false),
    refresh: () => Promise.resolve(true),
    request: async (load) => (await commands.get(pyStr(load.get('cmd') ?? ''))?.(load)) ?? PILLAR,
  };
}
