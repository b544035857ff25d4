/**
 * Modules that Brine does not have, from a real Salt that Python can import (`salt_python`): called from the command
 * line and inside SLS.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ours, runProgram, type Programs } from '../support/fleet.ts';
import { interop } from './real-salt.ts';

/** The interpreter of a Salt and its environment, as its launcher has them. */
function pythonOf({ folder }: Programs): { readonly python: string; readonly env: NodeJS.ProcessEnv } {
  const launcher = readFileSync(join(folder, 'salt-call'), 'utf8');
  const python = /(?:\bexec |^#!)(\S*python\S*)/m.exec(launcher)?.[1] ?? 'python3';
  const path = /PYTHONPATH=(\S+)/.exec(launcher)?.[1] ?? '';
  return { python, env: { ...process.env, PYTHONPATH: path, PYTHONWARNINGS: 'ignore' } };
}

async function portOf(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Calls by the command line: what each gives. `DIR` is the folder of the test. */
const CALLS: readonly (readonly [call: readonly string[], answer: unknown])[] = [
  [['ini.get_option', 'DIR/x.ini', 'a', 'b'], '1'],
  [['xml.get_value', 'DIR/x.xml', './/b'], 'c'],
  [['sqlite3.version'], /^\d+\.\d/],
  [['salt_version.get_release_number', 'Sodium'], '3001'],
  [
    ['cryptdev.crypttab', 'config=DIR/crypttab'],
    { root: { device: '/dev/x', password: 'none', options: ['luks'] } },
  ],
  [['sysfs.attr', 'kernel/mm'], '/sys/kernel/mm'],
  [['logrotate.show_conf', 'DIR/rotate.conf'], { weekly: true, rotate: 4 }],
  [['temp.dir', 'parent=DIR'], /\/tmp\w+$/],
  [['out.string_format', '{a: 1}', 'json'], '{\n    "a": 1\n}'],
  [['inspector.snapshots'], []],
  [['ps.total_physical_memory'], /^\d{6,}$/],
  [['genesis.avail_platforms'], /"deb":(true|false)/],
  [['minion.list'], /"minions":\[\]/],
  [['jinja.import_json', 'DIR/x.json'], /jinja|not found|x\.json/],
  [['git.config_set', 'user.name', 'somebody', 'cwd=DIR/repo'], ['somebody']],
];

const SLS = `
ini:
  ini.options_present:
    - name: DIR/made.ini
    - sections: {s: {k: v}}
xml:
  xml.value_present:
    - name: DIR/x.xml
    - xpath: .//b
    - value: new
db:
  sqlite3.table_present:
    - name: t
    - db: DIR/t.db
    - schema: CREATE TABLE t (a INT)
row:
  sqlite3.row_present:
    - db: DIR/t.db
    - table: t
    - where_sql: a=1
    - data: {a: 1}
    - require: [sqlite3: db]
wait:
  loop.until_no_eval:
    - name: ini.get_option
    - args: [DIR/x.ini, a, b]
    - expected: '1'
git:
  git.config_set:
    - name: user.email
    - value: a@example.org
    - repo: DIR/repo
gone:
  process.absent:
    - name: a-process-that-nobody-has
note:
  highstate_doc.note:
    - contents: {{ salt['ini.get_option']('DIR/x.ini', 'a', 'b') }} of {{ salt['salt_version.get_release_number']('Sodium') }}
call:
  module.run:
    - ini.set_option:
      - file_name: DIR/run.ini
      - sections: {s: {k: w}}
`;

interop('modules of an installed Salt answer through ours', async (t, real) => {
  const folder = mkdtempSync(join(tmpdir(), 'bsp-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const inFolder = (text: string): string => text.replaceAll('DIR', folder);
  const { python, env } = pythonOf(real);
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), inFolder(text));
  for (const name of ['etc', 'srv', 'repo']) mkdirSync(join(folder, name));
  assert.equal(spawnSync('git', ['init', '-q', join(folder, 'repo')]).status, 0);
  write('x.ini', '[a]\nb = 1\n');
  write('x.xml', '<a><b id="1">c</b></a>');
  write('rotate.conf', 'weekly\nrotate 4\n');
  write('crypttab', 'root /dev/x none luks\n');
  write('srv/all.sls', SLS);

  const posted: string[] = [];
  const web = createHttpServer((request, response) => {
    request.setEncoding('utf8');
    request.on('data', (text: string) => posted.push(decodeURIComponent(text)));
    request.on('end', () => response.end('{"ok": true}'));
  });
  const metrics: Buffer[] = [];
  const carbon = createServer((socket) => socket.on('data', (bytes) => metrics.push(bytes)));
  const webPort = await portOf(t, web);
  const carbonPort = await portOf(t, carbon);
  write(
    'etc/minion',
    [
      ...['id: here', 'file_client: local', 'root_dir: DIR/r', 'file_roots: {base: [DIR/srv]}'],
      ...['salt_python: True', `python_executable: ${python}`],
      'highstate.report_format: json',
      'highstate.report_delivery: file',
      'highstate.file_output: DIR/report.json',
      ...['carbon.host: 127.0.0.1', `carbon.port: ${carbonPort}`, 'carbon.mode: pickle'],
      ...['mattermost.hook: h', `mattermost.api_url: http://127.0.0.1:${webPort}`],
      ...['mattermost.channel: c', 'mattermost.username: u', ''],
    ].join('\n'),
  );
  const call = async (...words: string[]) => {
    const argv = ['-c', join(folder, 'etc'), '--local', '--out=json', ...words.map(inFolder)];
    const done = await runProgram(join(ours.folder, 'salt-call'), argv, {
      env: { ...env, HOME: folder },
      cwd: folder,
    });
    const { local } = JSON.parse(done.stdout === '' ? '{}' : done.stdout) as { local?: unknown };
    return { ...done, local };
  };

  await t.test('execution modules', async () => {
    for (const [words, answer] of CALLS) {
      const { local, stderr } = await call(...words);
      if (answer instanceof RegExp)
        assert.match(
          `${typeof local === 'string' ? local : JSON.stringify(local)}${stderr}`,
          answer,
          words.join(' '),
        );
      else assert.deepEqual(local, answer, `${words.join(' ')}: ${stderr}`);
    }
  });

  await t.test('states, and execution functions inside SLS', async () => {
    const { local, stderr } = await call('state.apply', 'all');
    const results = Object.values(
      local as Record<string, { __id__: string; result: boolean; comment: string }>,
    );
    assert.deepEqual(
      results.map(({ __id__, result }) => [__id__, result]),
      ['ini', 'xml', 'db', 'row', 'wait', 'git', 'gone', 'note', 'call'].map((id) => [id, true]),
      stderr,
    );
    assert.equal(results.find(({ __id__ }) => __id__ === 'note')?.comment, '1 of 3001');
    assert.match(readFileSync(join(folder, 'made.ini'), 'utf8'), /k ?= ?v/);
    assert.match(readFileSync(join(folder, 'run.ini'), 'utf8'), /k ?= ?w/);
    assert.match(readFileSync(join(folder, 'x.xml'), 'utf8'), /new/);
  });

  await t.test('returners', async () => {
    for (const [returner, ...words] of [
      ['highstate', 'state.single', 'test.succeed_with_changes', 'x'],
      ['mattermost', 'test.arg', 'shown'],
      ['carbon', 'status.loadavg'],
    ] as const) {
      const { stderr } = await call('--return', returner, ...words);
      assert.doesNotMatch(stderr, /The return failed|could not be loaded/, `${returner}: ${stderr}`);
    }
    assert.match(readFileSync(join(folder, 'report.json'), 'utf8'), /test/);
    assert.match(posted.join(''), /channel[^]*test\.arg[^]*shown/);
    assert.match(Buffer.concat(metrics).toString('latin1'), /status\.loadavg\.here\.1-min/);
  });
});

const IN_PYTHON: Readonly<Record<string, string>> = {
  'dsl.sls': `#!pydsl
state('asleep').cmd.run('echo test', cwd='/')
nginx = state('nginx')
nginx.pkg.installed().require(cmd='asleep')
state('third').file('managed', '/tmp/x', mode=644)
`,
  'objects.sls': `#!pyobjects
with Pkg.installed('nginx'):
    Service.running('nginx', enable=True)
    with Service('nginx', 'watch_in'):
        File.managed('/etc/nginx/x', source='salt://x', names=['a', 'b'])
`,
  'plain.sls': `#!py
def run():
    return {'whole': {'test.nop': [{'handed': Handed(3)}, {'by': len}]}}
class Handed:
    def __init__(self, count):
        self.count = count
    def __str__(self):
        return 'handed %d' % self.count
    def __deepcopy__(self, memo):
        return self
`,
};

interop('SLS in pydsl, pyobjects and py compile as with an installed Salt', async (t, real) => {
  const folder = mkdtempSync(join(tmpdir(), 'bsp-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { python, env } = pythonOf(real);
  for (const name of ['etc', 'srv']) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(IN_PYTHON)) writeFileSync(join(folder, 'srv', name), text);
  const compiled = async (side: Programs, root: string, sls: string): Promise<unknown> => {
    const lines = ['id: here', 'file_client: local', `root_dir: ${join(folder, root)}`];
    lines.push(`file_roots: {base: [${join(folder, 'srv')}]}`, `python_executable: ${python}`);
    if (side === ours) lines.push('salt_python: True');
    writeFileSync(join(folder, 'etc/minion'), `${lines.join('\n')}\n`);
    const argv = ['-c', join(folder, 'etc'), '--local', '--out=json', '-l', 'quiet'];
    const words = ['state.show_low_sls', sls];
    const { stdout } = await runProgram(join(side.folder, 'salt-call'), [...argv, ...words], { env });
    return JSON.parse(stdout.replaceAll(join(folder, root), 'ROOT').replaceAll(/ at 0x\w+/g, ' at ADDRESS'));
  };
  for (const sls of ['dsl', 'objects', 'plain'])
    assert.deepEqual(await compiled(ours, 'a', sls), await compiled(real, 'b', sls), sls);
});
