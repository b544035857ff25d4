/** What `sls check` finds, and where: each case is a small tree with every finding it is to come to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCatalog } from '../../../../src/cli/sls/catalog.ts';
import { grainsOfSystem } from '../../../../src/cli/sls/grain-profiles.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { laterSalt, type LaterSalt } from '../../../../src/runtime/sls-check/later-salt.ts';
import { checkSources } from '../../../../src/runtime/sls-check/check.ts';
import { RULES, type RuleName } from '../../../../src/runtime/sls-check/rules.ts';
import { slsName, type Source, type SourceKind } from '../../../../src/runtime/sls-check/source.ts';
import { fakeClock, fakeContext, leastRandom } from '../../../support/module-context.ts';

/** Path to text; what begins with `pillar/` or `reactor/` is of that kind. */
type Tree = Readonly<Record<string, string>>;

interface Given {
  readonly insteadOf?: LaterSalt | undefined;
  readonly pillar?: Dict;
  readonly grains?: Dict;
}

function sourceOf(path: string, text: string): Source {
  const [, folder, name] = /^(pillar|reactor|salt)\/(.*)$/.exec(path) ?? [];
  if (folder === undefined || name === undefined) throw new Error(`${path} is of no kind`);
  const kinds: Readonly<Record<string, SourceKind>> = { pillar: 'pillar', reactor: 'reactor', salt: 'state' };
  const isPillar = folder === 'pillar';
  const kind = name.endsWith('.jinja')
    ? 'template'
    : name === 'top.sls'
      ? isPillar
        ? 'pillar-top'
        : 'top'
      : kinds[folder];
  const root = { folder: `/srv/${folder}`, kind: isPillar ? 'pillar' : 'state' } as const;
  return { path, name, root, kind: kind ?? 'state', text, ...slsName(name) };
}

/** The findings as `path:line:column rule`, and their messages. */
async function check(
  tree: Tree,
  { pillar, grains, insteadOf }: Given = {},
): Promise<{ places: string[]; messages: string[] }> {
  const complete = new Set<'pillar' | 'grains'>();
  if (pillar !== undefined) complete.add('pillar');
  if (grains !== undefined) complete.add('grains');
  const known = grains ?? grainsOfSystem('debian') ?? new Map();
  const context = fakeContext({ grains: known });
  const findings = await checkSources(
    Object.entries(tree).map(([path, text]) => sourceOf(path, text)),
    {
      knowledge: { pillar: pillar ?? new Map(), grains: known, complete },
      catalog: openCatalog([], insteadOf),
      jinja: { clock: fakeClock(), random: leastRandom, log: silentLogger },
      compute: (fun, args, kwargs) => context.functions.call(fun, args, kwargs),
      hasPath: (name, { root }) =>
        Object.keys(tree).some((path) =>
          `${path}/`.startsWith(`${root.folder.slice('/srv/'.length)}/${name}/`),
        ),
      readTemplate: (name, { root }) => {
        const path = `${root.folder.slice('/srv/'.length)}/${name}`;
        const text = tree[path];
        return text === undefined ? undefined : { text, path };
      },
    },
  );
  return {
    places: findings.map(({ path, line, column, rule }) => `${path}:${line}:${column} ${rule}`),
    messages: findings.map(({ message }) => message),
  };
}

interface Case {
  readonly title: string;
  readonly tree: Tree;
  readonly given?: Given;
  readonly finds: readonly string[];
  /** Parts of the messages, in the order of the findings. */
  readonly says?: readonly RegExp[];
}

const CASES: readonly Case[] = [
  {
    title:
      'what a later Salt no longer has: states, functions in templates, in states and in reactions, renderers',
    tree: {
      'salt/a.sls':
        "{% set v = salt['augeas.get']('/x') %}\na: {pecl.installed: []}\nb: {module.run: [{zfs.list: []}]}\nc: {ethtool.offload: []}\n/d: {file.absent: []}\n",
      'salt/b.sls': '#!genshi|yaml\na: 1\n',
      'reactor/r.sls': 'up:\n  runner.virt.list: []\n',
    },
    given: { insteadOf: laterSalt('3008') },
    finds: [
      'reactor/r.sls:2:3 function-not-here',
      'reactor/r.sls:2:3 gone-from-salt',
      'salt/a.sls:1:18 gone-from-salt',
      'salt/a.sls:2:5 gone-from-salt',
      'salt/a.sls:3:19 gone-from-salt',
      'salt/a.sls:4:5 state-not-here',
      'salt/a.sls:4:5 gone-from-salt',
      'salt/b.sls:1:1 gone-from-salt',
      'salt/b.sls:1:1 needs-data',
    ],
    says: [
      /is one of Salt's/,
      /no longer has the runner 'virt'; Brine does not have it either\./,
      /Salt 3008 no longer has the execution module 'augeas'; Brine has it\./,
      /state module 'pecl'/,
      /execution module 'zfs'/,
      /is one of Salt's/,
      /state module 'ethtool'; Brine does not have it either\./,
      /renderer 'genshi'/,
      /not looked into/,
    ],
  },
  {
    title: 'states that require each other in a circle, over files and by requisites of either direction',
    tree: {
      'salt/a.sls':
        'include: [b]\none: {test.nop: [{require: [{test: two}]}]}\nalone: {test.nop: [{watch_in: [{test: alone}]}]}\n',
      'salt/b.sls':
        'two: {test.nop: [{require_in: [{test: three}]}]}\nthree: {test.nop: [{require_in: [{test: two}]}]}\n',
      'salt/c.sls': 'x: {test.nop: [{require: [{test: y}]}]}\ny: {test.nop: [{listen: [{test: x}]}]}\n',
    },
    finds: ['salt/a.sls:3:32 recursive-requisite', 'salt/b.sls:2:34 recursive-requisite'],
    says: [/test 'alone' → test 'alone'/, /test 'two' → test 'three' → test 'two'/],
  },
  {
    title:
      'values that a run would fail on: sources that are not there, relative paths, packages that are no list',
    tree: {
      'salt/files/x.conf.jinja': 'x',
      'salt/v.sls': [
        '/etc/x: {file.managed: [{source: salt://files/nothere}]}',
        '/etc/y: {file.managed: [{source: ["salt://nothere", "salt://files/x.conf.jinja"]}]}',
        '/etc/z: {file.recurse: [{source: salt://files}]}',
        'etc/w: {file.managed: [{contents: x}]}',
        'v: {file.absent: [{names: [/a, b]}]}',
        'p: {pkg.installed: [{pkgs: nginx}]}',
        'q: {pkg.installed: [{pkgs: "{{ pillar.pkgs }}"}]}',
        '',
      ].join('\n'),
    },
    finds: [
      'salt/v.sls:1:26 missing-source',
      'salt/v.sls:4:9 relative-path',
      'salt/v.sls:5:32 relative-path',
      'salt/v.sls:6:22 wrong-type',
    ],
    says: [
      /salt:\/\/files\/nothere is in none of the roots/,
      /'etc\/w' is none/,
      /'b' is none/,
      /pkgs: \[nginx\]/,
    ],
  },
  {
    title: 'a requisite beside a file that nobody can read is noted, and names that file',
    tree: {
      'salt/a.sls': 'x: {test.nop: [{require: [{test: lost}]}]}\n',
      'salt/py.sls': '#!py\ndef run():\n    return {}\n',
    },
    finds: ['salt/a.sls:1:27 unsure-requisite', 'salt/py.sls:1:1 needs-data'],
    says: [/salt\/py\.sls could not be/],
  },
  {
    title: 'nothing is found where nothing is wrong',
    tree: {
      'salt/top.sls': "base:\n  '*':\n    - web\n  'G@os:Debian':\n    - match: compound\n    - db.*\n",
      'salt/web.sls':
        'include:\n  - db.server\nnginx:\n  pkg.installed: []\n  service.running:\n    - enable: True\n    - watch:\n      - file: /etc/nginx/*\n      - pkg: mysql\n' +
        '/etc/nginx/nginx.conf:\n  file.managed:\n    - source: salt://web/nginx.conf\n    - require:\n      - nginx\n      - sls: db.*\n',
      'salt/web/nginx.conf': '',
      'salt/db/server.sls': 'mysql:\n  pkg.installed\n',
      'pillar/top.sls': "base: {'*': [data]}\n",
      'pillar/data.sls': 'users: {anna: {uid: 1}}\n',
      'reactor/start.sls': 'up:\n  local.state.apply:\n    - tgt: {{ data.id }}\n    - args: [{mods: web}]\n',
    },
    finds: [],
  },
  {
    title: 'templates that cannot be read',
    tree: { 'salt/a.sls': 'a:\n{% if x %}\n  test.nop\n', 'salt/map.jinja': '{% set a = [1, %}\n' },
    finds: ['salt/a.sls:2:1 jinja-syntax', 'salt/map.jinja:1:1 jinja-syntax'],
  },
  {
    title: 'a template that is imported fails in its own file',
    tree: {
      'salt/a.sls': "{% from 'map.jinja' import x %}\n{{ x }}:\n  test.nop\n",
      'salt/map.jinja': '{% set x = 1 %}\n{% for %}\n',
    },
    finds: ['salt/map.jinja:2:1 jinja-syntax'],
  },
  {
    title: 'variables and templates that are not there',
    tree: {
      'salt/a.sls': 'a:\n  test.nop:\n    - name: {{ nobody.x }}\n',
      'salt/b.sls': "{% import 'no.jinja' as m %}\n",
    },
    finds: ['salt/a.sls:3:1 render-failed', 'salt/b.sls:1:1 render-failed'],
    says: [/'nobody' is undefined/, /There is no template 'no\.jinja' below the roots\./],
  },
  {
    title: 'YAML that is none, behind a loop: the place is that of the template',
    tree: { 'salt/a.sls': '{% for i in range(5) %}\nx{{ i }}:\n  test.nop\n{% endfor %}\nb: {a\n' },
    finds: ['salt/a.sls:5:1 yaml-syntax'],
  },
  {
    title: 'keys that stand twice, braces without quotes',
    tree: {
      'salt/a.sls': '{% set n = 2 %}\na:\n  test.nop\nb:\n  test.nop\na:\n  test.nop\n',
      'pillar/b.sls': 'a: 1\nb: {{ 1 }}: x\n',
      'pillar/c.sls': 'x: {1: 2, 1: 3}\n',
    },
    finds: [
      'pillar/b.sls:2:4 yaml-syntax',
      'pillar/c.sls:1:11 duplicate-key',
      'salt/a.sls:6:1 duplicate-key',
    ],
  },
  {
    title: 'includes that mean nothing',
    tree: {
      'salt/a.sls': 'include:\n  - b:\n  - base: b\n  -\n',
      'salt/b.sls': 'b: test.nop\n',
      'pillar/a.sls':
        'include:\n  - b:\n    key: kk\n  - b:\n      ky: kk\n  - b: kk\n  - b:\n      key: 5\n',
      'pillar/b.sls': 'b: 1\n',
    },
    finds: [
      ...['2:5', '4:5', '6:5', '7:5'].map((at) => `pillar/a.sls:${at} wrong-shape`),
      ...['2:5', '4:4'].map((at) => `salt/a.sls:${at} wrong-shape`),
    ],
    says: [
      /has 'key' beside the include of 'b' and not below it: indent 'key: kk' further than 'b:'\./,
      /has 'ky' below the include of 'b', which has no effect\. Did you mean 'key'\?/,
      /has a str below/,
      /has 5 as 'key'/,
      /has a colon behind 'b': write '- b', or '- environment: b'\./,
    ],
  },
  {
    title: 'keys of pillar that are left empty, and wipe what an earlier file gives',
    tree: {
      'pillar/top.sls': "base:\n  '*': [one, two]\n  web*: [three]\n",
      'pillar/one.sls': 'include: [base]\napp: {list: [1], deep: {x: 1}}\nnothing:\n',
      'pillar/base.sls': 'app: {list: null, first: {a: 1}}\n',
      'pillar/two.sls': 'app:\n  deep:\n  other:\n  first: {}\n',
      'pillar/three.sls': 'app:\n',
      'pillar/apart.sls': 'app:\n',
    },
    finds: ['pillar/three.sls:1:1 empty-key', 'pillar/two.sls:2:3 empty-key'],
    says: [
      /'app' is left empty/,
      /'app:deep' is left empty, which wipes the mapping that pillar\/one\.sls gives/,
    ],
  },
  {
    title: 'states that do not exist',
    tree: {
      'salt/a.sls':
        'a:\n  pkg.instaled: []\nb:\n  pkgs.installed: []\nc:\n  file.symlnk\nd:\n  boto_ec2.instance_present: []\n',
    },
    finds: [
      ...['2:3 unknown-state', '4:3 unknown-state', '5:1 unknown-state', '8:3 state-not-here'].map(
        (at) => `salt/a.sls:${at}`,
      ),
    ],
    says: [/Did you mean 'pkg\.installed'/, /Did you mean .*'pkg'/, /'file\.symlink'/, /salt_python/],
  },
  {
    title: 'arguments that do not exist, look wrong or are missing',
    tree: {
      'salt/a.sls':
        '/a:\n  file.symlink:\n    - targt: /x\n/b:\n  file.managed:\n    - sorce: salt://b\n    - template: jinja\n    - context: {a: 1}\nc:\n  user.present:\n    - hom: /home/c\n',
    },
    finds: [
      '2:3 missing-argument',
      '3:7 doubtful-argument',
      '6:7 doubtful-argument',
      '11:7 unknown-argument',
    ].map((at) => `salt/a.sls:${at}`),
    says: [/file\.symlink needs the argument 'target'/, /'target'/, /'source'/, /'home'/],
  },
  {
    title: 'forms that the state system refuses',
    tree: {
      'salt/a.sls':
        'a:\n  pkg.installed:\nb:\n  pkg:\n    - name: x\nc:\n  cmd.run:\n    name: ls\nd: 5\n1:\n  test.nop\ne:\n  pkg.installed: [removed]\nf:\n  test.nop:\n    - require: x\n',
    },
    finds: ['1:1', '3:1', '6:1', '9:1', '10:1', '12:1', '14:1'].map((at) => `salt/a.sls:${at} wrong-shape`),
    says: [
      /trailing colon/,
      /No function declared/,
      /not formed as a list/,
      /not a dictionary/,
      /not formed as a string/,
    ],
  },
  {
    title: 'requisites that lead nowhere, or to where nobody includes them from',
    tree: {
      'salt/a.sls':
        'a:\n  pkg.installed:\n    - require:\n      - pkg: nobdy\n      - far\n    - watch_in:\n      - service: nobody\nnobody:\n  pkg.installed: []\n',
      'salt/b.sls': 'far:\n  test.nop\n',
    },
    finds: ['4:9 lost-requisite', '5:9 far-requisite', '7:9 lost-requisite'].map((at) => `salt/a.sls:${at}`),
    says: [/Did you mean 'nobody'/, /which is in 'b': include it/, /It is a state of pkg/],
  },
  {
    title: 'what a top file assigns together may require each other',
    tree: {
      'salt/top.sls': "base:\n  '*': [b]\n  'web*': [a]\n",
      'salt/a.sls': 'a:\n  test.nop:\n    - require:\n      - test: far\n',
      'salt/b.sls': 'far:\n  test.nop\n',
    },
    finds: [],
  },
  {
    title: 'includes, extensions and ids of several files',
    tree: {
      'salt/a/init.sls':
        'include:\n  - .b\n  - a.c\n  - .nothing\n  - ...up\nextend:\n  x:\n    test:\n      - name: y\n  nobody:\n    test:\n      - name: y\n',
      'salt/a/b.sls': 'x:\n  test.nop\n',
      'salt/a/c.sls': 'include:\n  - a.b\nx:\n  test.nop: []\n',
    },
    finds: [
      'salt/a/c.sls:3:1 conflicting-id',
      'salt/a/init.sls:4:5 missing-include',
      'salt/a/init.sls:5:5 missing-include',
      'salt/a/init.sls:10:3 lost-extend',
    ],
  },
  {
    title: 'top files',
    tree: {
      'salt/top.sls': "base:\n  '*':\n    - wbe\n    - match: grian\n  'x': web\n",
      'salt/web.sls': '',
      'pillar/top.sls': "base:\n  '*': [nothing]\n",
    },
    finds: [
      'pillar/top.sls:2:9 missing-sls',
      'salt/top.sls:1:1 wrong-shape',
      'salt/top.sls:3:7 missing-sls',
      'salt/top.sls:4:7 wrong-shape',
    ],
    says: [/'nothing'/, /not formed as a list/, /Did you mean 'web'/, /Did you mean 'grain'/],
  },
  {
    title: 'reactions',
    tree: {
      'reactor/a.sls':
        'a:\n  local.test.pin:\n    - tgt: x\nb:\n  local.test.ping: []\nc:\n  runer.jobs.list_jobs: []\nd:\n  cmd.test.ping:\n    - tgt: x\n    - expr_form: glob\ne:\n  wheel.key.acept: []\n',
      'salt/looks/like/one.sls':
        'a:\n  runner.jobs.list_job:\n    - args: [{jid: 1}]\nb:\n  runner.jobs.nothing: []\n',
    },
    finds: [
      ...[
        '2:3 unknown-function',
        '5:3 missing-argument',
        '7:3 wrong-shape',
        '9:3 deprecated',
        '11:7 deprecated',
        '13:3 unknown-function',
      ].map((at) => `reactor/a.sls:${at}`),
      'salt/looks/like/one.sls:5:3 unknown-function',
    ],
  },
  {
    title: 'keywords of functions that templates call',
    tree: {
      'salt/a.sls':
        "{% set a = salt['mine.get']('*', 'x', tgt_type='grain') %}\n{% set b = salt['mine.get']('*', 'x', expr_form='grain') %}\n{% set c = salt.cmd.run('x', anything=1) %}\na:\n  test.nop\n",
    },
    finds: ['salt/a.sls:2:39 unknown-argument'],
    says: [/^mine.get has no argument 'expr_form'/],
  },
  {
    title: 'functions that templates and states call',
    tree: {
      'salt/a.sls':
        "{% set a = salt['pillar.gett']('x') %}\n{% set b = salt.boto_ec2.find() %}\na:\n  module.run:\n    - test.pingg: []\nb:\n  module.run:\n    - name: nothing.here\nc:\n  salt.runner:\n    - name: jobs.lst_jobs\n",
    },
    finds: [
      '1:18 unknown-function',
      '2:17 function-not-here',
      '5:7 unknown-function',
      '8:7 unknown-function',
      '11:7 unknown-function',
    ].map((at) => `salt/a.sls:${at}`),
    says: [/'pillar\.get'/, /salt_python/, /'test\.ping'/, /'nothing\.here'/, /'jobs\.list_jobs'/],
  },
  {
    title: 'pillar that is not known is gone through all the same',
    tree: {
      'salt/a.sls':
        "{% for name, user in pillar['users'].items() %}\n{{ name }}:\n  user.presnt:\n    - uid: {{ user.uid + 1 }}\n{% endfor %}\n{% if grains['roles'] > 3 and salt['pillar.get']('a:b') %}\nb:\n  pkg.instaled: []\n{% endif %}\n",
    },
    finds: ['salt/a.sls:3:3 unknown-state', 'salt/a.sls:8:3 unknown-state'],
  },
  {
    title: 'what is not known can be written, joined, and merged by functions that compute',
    tree: {
      'salt/a.sls':
        "{% set merged = salt['grains.filter_by']({'default': {'a': 1}}, merge=pillar.m, base='default') %}\na:\n  test.nop:\n    - one: {{ pillar.a|json }}\n    - two: {{ {'k': pillar.b}|tojson }}\n    - three: {{ pillar.c|yaml }}\n    - four: {{ ','.join(pillar.d) }}\nb:\n  user.presnt: []\n",
      'salt/b.sls': '{{ pillar.e }}: {test.nop: []}\n{{ pillar.e }}: {test.nop: []}\n',
    },
    finds: ['salt/a.sls:9:3 unknown-state', 'salt/b.sls:2:1 needs-data'],
    says: [/user\.presnt/, /'⟨pillar\.e⟩' is one key or several/],
  },
  {
    title: 'pillar that is given is all there is',
    tree: {
      'salt/a.sls':
        "{% for name in pillar['users'] %}\n{{ name }}:\n  user.present: []\n{% endfor %}\na:\n  test.nop:\n    - name: {{ pillar['x']['y'] }}\n",
    },
    given: { pillar: dict({ users: ['anna'] }), grains: dict({ os: 'Debian' }) },
    finds: ['salt/a.sls:7:1 render-failed'],
  },
  {
    title: 'files that are no templates, and renderers',
    tree: {
      'salt/a.sls': '#!py\ndef run():\n    return {}\n',
      'salt/b.sls': '#!jnja|yaml\na: {test.nop: []}\n',
      'salt/c.d.sls': 'this: is: no YAML\n',
      'salt/d.sls': '#!json\n{"a": {"test.nop": []}}\n',
      'pillar/e.sls': '#!jinja|yaml|gpg\na: |\n  -----BEGIN PGP MESSAGE-----\n',
    },
    finds: ['salt/a.sls:1:1 needs-data', 'salt/b.sls:1:1 render-failed', 'salt/c.d.sls:1:1 dotted-name'],
  },
];

for (const { title, tree, given, finds, says } of CASES) {
  test(`sls check - ${title}`, async () => {
    const { places, messages } = await check(tree, given);
    assert.deepEqual(places, finds, messages.join('\n'));
    says?.forEach((said, index) => assert.match(messages[index] ?? '', said));
  });
}

test('sls check - every rule is in a case', () => {
  const found = new Set(CASES.flatMap(({ finds }) => finds.map((one) => one.split(' ')[1])));
  const isOfFiles = (rule: RuleName): boolean => rule === 'unreadable-file';
  assert.deepEqual(
    [...RULES.keys()].filter((rule) => !found.has(rule) && !isOfFiles(rule)),
    [],
  );
});
