/**
 * Small trees of SLS, each about one thing that compiling states must get right. `test/compare/record-states.ts` has a
 * real Salt compile them and writes what it gives to `test/fixtures/state/compiled.json`; a unit test compiles them
 * with ours.
 */

/** One tree. */
export interface StateTree {
  readonly name: string;
  /** Path below the roots, its environment first, to text. */
  readonly files: Readonly<Record<string, string>>;
  /** Options of the minion besides the file roots. */
  readonly opts?: Readonly<Record<string, unknown>>;
  /** What is compiled in environment `base`; without it, what the top files say. */
  readonly sls?: readonly string[];
  /** What ours says where Salt's sentence names too little; the recording has Salt's. */
  readonly clearer?: readonly string[];
}

/** The grains of the minion that compiles. */
export const TREE_GRAINS = { id: 'web1', os: 'Debian', ipv4: ['10.1.2.3'], roles: ['web', 'db'] };
/** Its pillar. */
export const TREE_PILLAR = { role: 'front', app: { name: 'shop' } };

/** A tree of one SLS, `a`. */
function one(name: string, text: string, more: Readonly<Record<string, string>> = {}): StateTree {
  const files: Record<string, string> = { 'base/a.sls': text };
  for (const [path, other] of Object.entries(more)) files[`base/${path}`] = other;
  return { name, files, sls: ['a'] };
}

const NOP = (id: string, ...items: string[]): string =>
  `${id}:\n  test.nop:\n${items.map((item) => `    - ${item}\n`).join('') || '    []\n'}`;

const FORMS: readonly StateTree[] = [
  one(
    'declarations in every form',
    [
      'dotted:',
      '  file.managed:',
      '    - mode: "0644"',
      'split:',
      '  file:',
      '    - managed',
      '    - mode: "0600"',
      'short: test.nop',
      'several:',
      '  pkg.installed: []',
      '  service.running:',
      '    - enable: true',
      '_hidden:',
      '  test.nop: []',
      'private:',
      '  __mark__: 1',
      '  test.nop: []',
      '',
    ].join('\n'),
  ),
  one('deeper functions keep one dot', 'x: a.b.c\ny:\n  a.b.c:\n    - z: 1\n'),
  one(
    'names',
    [
      'x:',
      '  file.managed:',
      '    - names: [/a, /b, /a]',
      '    - mode: "0644"',
      'y:',
      '  pkg.installed:',
      '    - names:',
      '      - one',
      '      - two:',
      '        - version: 2',
      '        - order: last',
      'z:',
      '  test.nop:',
      '    - names: [1, 2]',
      '',
    ].join('\n'),
  ),
  one(
    'a name that is no text and a state argument',
    'x:\n  test.nop:\n    - name: 5\n    - state: other\n    - a: 1\n    - a: 2\n',
  ),
  one('items with several arguments', 'x:\n  test.nop:\n    - a: 1\n      b: 2\n    - c: 3\n'),
  one(
    'orders',
    [
      ...['first', 'last', '1', '-1', '-5', '2.5', '"7"', 'null', 'true'].map(
        (order, i) => `o${i}:\n  test.nop:\n    - order: ${order}\n`,
      ),
      'plain:\n  test.nop: []\n',
      'huge:\n  test.nop:\n    - order: 500000\n',
    ].join(''),
  ),
  {
    ...one(
      'no automatic order',
      'b:\n  test.nop: []\na:\n  test.nop: []\nc:\n  test.nop:\n    - order: 3\nn:\n  test.nop:\n    - names: [q, p]\n',
    ),
    opts: { state_auto_order: false },
  },
  one(
    'variables of an SLS in a file',
    'x:\n  test.nop:\n    - value: "{{ [sls, slspath, slsdotpath, slscolonpath, sls_path, tplfile, tpldir, tpldot, saltenv] }}"\n',
  ),
  {
    name: 'variables of an SLS in folders',
    files: {
      'base/p/q.sls':
        'in-q:\n  test.nop:\n    - value: "{{ [sls, slspath, slsdotpath, slscolonpath, sls_path, tplfile, tpldir, tpldot] }}"\n',
      'base/p/r/init.sls':
        '{% from "./m.jinja" import m with context %}{% import "p/m.jinja" as n with context %}\nin-r:\n  test.nop:\n    - value: "{{ [sls, slspath, slsdotpath, slscolonpath, sls_path, tplfile, tpldir, tpldot] }}"\n    - imported: "{{ m }}"\n    - other: "{{ n.m }}"\n',
      'base/p/r/m.jinja': '{% set m = [tpldir, tplfile, sls, slspath] %}',
      'base/p/m.jinja': '{% set m = [tpldir, tplfile, sls, slspath] %}',
    },
    sls: ['p.q', 'p.r'],
  },
  one(
    'grains, pillar and functions',
    'x:\n  test.nop:\n    - os: {{ grains.os }}\n    - role: {{ pillar["role"] }}\n    - app: {{ salt["pillar.get"]("app:name") }}\n    - id: {{ opts["id"] }}\n    - got: {{ salt.grains.get("os") }}\n',
  ),
  one('other renderers', '#!json\n{"x": {"test.nop": [{"a": 1}]}}\n'),
  one('an empty file', ''),
  one('a file of spaces', '  \n\n'),
  one('a file of comments', '# nothing\n'),
];

const INCLUDES: readonly StateTree[] = [
  {
    name: 'includes in every form',
    files: {
      'base/p/init.sls': 'include: [.one, p.two, .sub, ..other, "g*"]\nfrom-init: test.nop\n',
      'base/p/one.sls': 'include: [.two, p]\nfrom-one: test.nop\n',
      'base/p/two.sls': 'from-two: test.nop\n',
      'base/p/sub/init.sls': 'include: [..two, .leaf]\nfrom-sub: test.nop\n',
      'base/p/sub/leaf.sls': 'include: [..one, ..sub]\nfrom-leaf: test.nop\n',
      'base/other.sls': 'from-other: test.nop\n',
      'base/g1.sls': 'from-g1: test.nop\n',
      'base/g2.sls': 'from-g2: test.nop\n',
    },
    sls: ['p', 'g?'],
  },
  {
    name: 'includes of other environments',
    files: {
      'base/a.sls': 'include: [{dev: b}, {_xenv: c}]\nx: test.nop\n',
      'base/c.sls': 'in-base-c: test.nop\n',
      'dev/b.sls': 'include: [d]\nin-dev: test.nop\n',
      'dev/c.sls': 'in-dev-c: test.nop\n',
      'dev/d.sls': 'in-dev-d: test.nop\n',
    },
    sls: ['a'],
  },
  one(
    'an include of an environment that is not there',
    'include: [{nope: b}, {_xenv: zz}, {base: yy}]\nx: test.nop\n',
  ),
  one('an include over the top', 'include: [..b, ...c]\nx: test.nop\n'),
  one('an include that is missing', 'include: [b, zz]\nx: test.nop\n', { 'b.sls': 'y: test.nop\n' }),
  one('an include that is no list', 'include: b\nx: test.nop\n', { 'b.sls': 'y: test.nop\n' }),
  one('an include that fails', 'include: [b]\nx: test.nop\n', { 'b.sls': 'y: [\n' }),
  one('includes in a circle', 'include: [b]\nx: test.nop\n', { 'b.sls': 'include: [a]\ny: test.nop\n' }),
  one('an include of a list', 'include: [b]\nx: test.nop\n', { 'b.sls': '[abc, d]\n' }),
  one('the same id twice', 'include: [b]\nx: test.nop\n', { 'b.sls': 'x: test.nop\n' }),
  {
    name: 'the same id in two SLS',
    files: {
      'base/a.sls': 'x:\n  test.nop:\n    - order: 1\n',
      'base/b.sls': 'x:\n  test.nop:\n    - order: 1\n',
      'base/c.sls': 'y: test.nop\nx: test.succeed_without_changes\n',
    },
    sls: ['a', 'b', 'c', 'a'],
  },
  { name: 'an SLS that is missing', files: { 'base/a.sls': 'x: test.nop\n' }, sls: ['zz', 'a', 'p.q'] },
];

const EXTENDS: readonly StateTree[] = [
  one(
    'extending arguments, requisites, functions and names',
    [
      'include: [b]',
      'extend:',
      '  file-x:',
      '    file:',
      '      - mode: "0600"',
      '      - require: [{test: y}]',
      '      - added: 1',
      '      - absent',
      '  /by/name:',
      '    file.managed:',
      '      - owner: me',
      '  names-x:',
      '    file:',
      '      - name: /one',
      '  y:',
      '    pkg.installed: []',
      'z:',
      '  test.nop: []',
      '',
    ].join('\n'),
    {
      'b.sls':
        'file-x:\n  file.managed:\n    - mode: "0644"\n    - require: [{test: z}]\nnamed:\n  file.managed:\n    - name: /by/name\nnames-x:\n  file.managed:\n    - names: [/a, /b]\ny:\n  test.nop: []\n',
    },
  ),
  one(
    'extending what is not there',
    'extend:\n  zz:\n    test.nop: [{a: 1}]\n  x:\n    pkg.installed: [{b: 2}]\nx: test.nop\n',
  ),
  one(
    'extending a name that two ids have',
    'extend:\n  n:\n    test.nop: [{a: 1}]\nx:\n  test.nop: [{name: n}]\ny:\n  test.nop: [{name: n}]\n',
  ),
  one('an extend that is no mapping', 'extend: [a]\nx: test.nop\n'),
  one('an extension that is no mapping', 'extend: {x: 1}\nx: test.nop\n'),
  one('the same extension twice', 'include: [b, c]\nx:\n  test.nop:\n    - require: []\n', {
    'b.sls': 'extend: {x: {test.nop: [{require: [{test: y}]}]}}\ny: test.nop\n',
    'c.sls': 'extend: {x: {test.nop: [{require: [{test: y}]}]}}\nz: test.nop\n',
  }),
  one(
    'an extension out of an excluded SLS',
    'include: [b]\nexclude: [{sls: b}]\nx:\n  test.nop: [{a: 0}]\n',
    { 'b.sls': 'extend: {x: {test.nop: [{a: 1}]}}\ny: test.nop\n' },
  ),
];

const EXCLUDES: readonly StateTree[] = [
  one(
    'excludes in every form',
    'include: [b, c, d1, d2]\nexclude: [{id: x}, {sls: c}, b, {sls: "d*"}, {id: nowhere}]\nx: test.nop\ny: test.nop\n',
    {
      'b.sls': 'from-b: test.nop\n',
      'c.sls': 'from-c: test.nop\n',
      'd1.sls': 'from-d1: test.nop\n',
      'd2.sls': 'from-d2: test.nop\n',
    },
  ),
  one('an exclude that is no list', 'exclude: {id: x}\nx: test.nop\n'),
];

const REQUISITES: readonly StateTree[] = [
  one(
    'requisites that are written at the other side',
    [
      NOP('a', 'require_in: [{test: z}]', 'watch_in: [{test: z}]', 'onchanges_in: [{test: z}]'),
      NOP(
        'b',
        'require_in: [{test: z}]',
        'onfail_in: [{test: z}]',
        'prereq_in: [{test: z}]',
        'listen_in: [{test: z}]',
      ),
      NOP('c', 'require_in: [z]', 'watch_in: {test: z}', 'require_in: {test: z}'),
      NOP('d', 'require_in: [by-name, nowhere]', 'prereq: [{test: z}]'),
      NOP('named', 'name: by-name'),
      NOP('z', 'require: [{test: named}]'),
    ].join(''),
  ),
  one(
    'use and use_in',
    [
      NOP('source', 'name: other', 'a: 1', 'b: 2', 'require: [{test: z}]', 'use_in: [{test: in}]'),
      NOP('in', 'b: 3'),
      NOP('user', 'a: 0', 'use: [{test: source}, {test: in}]'),
      NOP('z'),
    ].join(''),
  ),
  {
    ...one(
      'requisites that point at an SLS',
      NOP('x', 'require_in: [{sls: b}]', 'prereq_in: [{sls: b}]') + 'include: [b]\n',
      { 'b.sls': 'one: test.nop\ntwo:\n  test.nop: []\n  pkg.installed: []\n' },
    ),
  },
  one(
    'a requisite in with a dot',
    NOP('x', 'require_in: [{test.nop: z}]', 'watch_in: {test.nop: z}') + NOP('z'),
  ),
  one('a requisite in of what is not there', NOP('x', 'require_in: [{test: z}]', 'watch_in: {pkg: y}')),
  {
    ...one('disabled requisites', NOP('x', 'require_in: [{test: z}]', 'watch_in: [{test: z}]') + NOP('z')),
    opts: { disabled_requisites: ['require_in'] },
  },
  one('a requisite on each other', NOP('x', 'require: [{test: y}]') + NOP('y', 'require: [{test: x}]')),
  one('plain texts as requisites', NOP('x', 'require: [y, {id: z}]', 'onchanges: [y]') + NOP('y') + NOP('z')),
  one(
    'requisites that are no lists',
    ['require', 'watch', 'prereq', 'onchanges', 'onfail', 'listen']
      .map((kind) => NOP(`x-${kind}`, `${kind}: {test: y}`))
      .join('') + NOP('y'),
  ),
  one(
    'requisites with dots and lists',
    NOP('x', 'require: [{test.nop: y}, {test: [y]}, 5, {pkg: {a: 1}}]') + NOP('y'),
  ),
  one(
    'several requisites in one item',
    'x:\n  test.nop:\n    - require: [{test: y}]\n      watch: [{test: y}]\ny: test.nop\n',
  ),
];

const FAULTS: readonly StateTree[] = [
  one('an SLS that is a list', '[a, b]\n'),
  one('an SLS that is a text', 'hello there\n'),
  one('ids without a body', 'x:\ny: 5\nz: plain\nw: [a]\n'),
  one('an id that is no text', '1:\n  test.nop: []\ntrue: test.nop\n2.5:\n  test.nop: []\n'),
  one('the same module twice', 'x:\n  pkg.installed: []\n  pkg.removed: []\n'),
  one('a module that is no list', 'x:\n  test.nop: {a: 1}\ny:\n  test: nop\n'),
  one('a function with a colon and nothing behind it', 'x:\n  test.nop:\n  pkg.installed: []\n'),
  one('no function', 'x:\n  test:\n    - a: 1\n'),
  one('several functions', 'x:\n  test:\n    - nop\n    - fail_without_changes\n'),
  one('a function with a blank', 'b:\n  test.nop:\n    - foo bar\n'),
  one('names that are no list', 'x:\n  test.nop:\n    - names: {a: 1}\n'),
  one('YAML that does not end', 'x:\n  test.nop:\n    - a: [1, 2\ny: test.nop\n'),
  one('YAML that is out of line', 'x:\n  test.nop:\n    - a: 1\n   - b: 2\n'),
  one('a tab', 'x:\n\ttest.nop: []\n'),
  one('a key that stands twice', 'x:\n  test.nop: []\nx:\n  test.nop: []\n'),
  one('left-over braces', 'x:\n  test.nop:\n    - a: {{ "{{ b }}" }}\n'),
  one('a Jinja error', 'a: test.nop\nb: test.nop\n\n{% if x ]\nc: test.nop\n{% endif %}\nd: test.nop\n'),
  one(
    'an undefined variable',
    '1: a\n2: b\n3: c\n4: d\n5: e\n6: f\n7: g\n{{ nothing }}: test.nop\n9: h\n10: i\n11: j\n12: k\n13: l\n14: m\n',
  ),
  one('a missing key', '{% set m = {} %}\nx:\n  test.nop:\n    - a: {{ m.y }}\n'),
  one('a missing pillar key', 'x:\n  test.nop:\n    - a: {{ pillar["nope"] }}\n'),
  one('a missing function', 'x:\n  test.nop:\n    - a: {{ salt["nope.nope"]() }}\n'),
  one('a missing import', '{% from "nope.jinja" import m %}\nx: test.nop\n'),
  one('an error in an import', '{% from "m.txt" import m with context %}\nx: test.nop\n', {
    'm.txt': '{% set m = 1 %}\n\n{{ nothing.here }}\n',
  }),
];

const WEB = {
  'base/web.sls': 'in-web: test.nop\n',
  'base/db.sls': 'in-db: test.nop\n',
  'base/x/y.sls': 'in-xy: test.nop\n',
};

/** A tree with a top file in `base`. */
function top(name: string, text: string, opts: Readonly<Record<string, unknown>> = {}): StateTree {
  return { name, files: { ...WEB, 'base/top.sls': text }, opts };
}

const TOPS: readonly StateTree[] = [
  top(
    'every kind of target',
    [
      'base:',
      ...[
        ["'*'", null, 'glob'],
        ["'web*'", 'glob', 'g'],
        ["'w.b\\d'", 'pcre', 'p'],
        ["'web1,web2'", 'list', 'l'],
        ["'os:Deb*'", 'grain', 'gr'],
        ["'roles:d.'", 'grain_pcre', 'gp'],
        ["'role:fr*'", 'pillar', 'pi'],
        ["'app:name:sh.p'", 'pillar_pcre', 'pp'],
        ["'role:front'", 'pillar_exact', 'pe'],
        ["'10.1.0.0/16'", 'ipcidr', 'ip'],
        ["'G@os:Debian and not db*'", 'compound', 'co'],
        ["'webs'", 'nodegroup', 'ng'],
        ["'N@webs'", null, 'cn'],
        ["'G@os:RedHat'", null, 'no'],
        ["'db*'", 'glob', 'no2'],
      ].map(([target, kind, sls]) =>
        `  ${target}:\n${kind === null ? '' : `    - match: ${kind}\n`}    - ${sls}\n`.trimEnd(),
      ),
      '',
    ].join('\n'),
    { nodegroups: { webs: 'web*' } },
  ),
  top('globs of SLS and the same SLS twice', "base:\n  '*': [web, 'x.*', web]\n  'web1': [db, web]\n"),
  top('another environment for one SLS', "base:\n  '*': [web, {dev: extra}, {nope: lost}]\n"),
  top(
    'a target within a target',
    "base:\n  'web*':\n    - web\n    - subfilter:\n        'os:Debian': [{match: grain}, db]\n        'os:RedHat': [{match: grain}, x.y]\n",
  ),
  top('nothing for this minion', "base:\n  'db*': [web]\n"),
  top('lists without SLS', "base:\n  '*': []\n"),
  {
    ...top('texts instead of lists', "base:\n  '*': web\n"),
    clearer: [
      "Malformed topfile: the states of the target '*' in saltenv 'base' are not formed as a list, but are web",
    ],
  },
  {
    ...top('faults', "base:\n  '*': [web, '', {match: ''}]\n'': {'*': [web]}\n"),
    clearer: [
      "Environment base contains an empty sls index for the target '*'",
      "Improperly formatted top file matcher in saltenv base for the target '*': OrderedDict([('match', '')]):  file",
      'Empty saltenv statement in top file',
    ],
  },
  top('a top file that fails', '{{ nothing }}\n'),
  { name: 'no top file', files: WEB },
  {
    name: 'another name of the top file',
    files: { ...WEB, 'base/tops/first.sls': "base: {'*': [web]}\n" },
    opts: { state_top: 'salt://tops/first.sls' },
  },
  {
    name: 'included top files',
    files: {
      ...WEB,
      'base/top.sls': "include: ['more.*']\nbase: {'*': [web]}\n",
      'base/more/one.sls': "include: [db]\nbase: {'web*': [db]}\n",
      'base/more/two.sls': "base: {'*': [x.y]}\n",
    },
  },
];

const ENVIRONMENTS_FILES = {
  ...WEB,
  'base/top.sls': "base: {'*': [web]}\ndev: {'web*': [d1]}\n",
  'dev/top.sls': "dev: {'*': [d2], 'web*': [d3]}\nbase: {'*': [db]}\nqa: {'*': [q9]}\n",
  'qa/top.sls': "qa: {'*': [q1]}\nbase: {'*': [db], 'web*': [web]}\n",
  'dev/d1.sls': 'in-d1: test.nop\n',
  'dev/d2.sls': 'in-d2: test.nop\n',
  'dev/d3.sls': 'in-d3: test.nop\n',
  'qa/q1.sls': 'in-q1: test.nop\n',
  'prod/p1.sls': 'in-p1: test.nop\n',
};

const STRATEGIES: readonly StateTree[] = [
  {},
  { top_file_merging_strategy: 'same' },
  { top_file_merging_strategy: 'merge_all' },
  { top_file_merging_strategy: 'nonsense' },
  { saltenv: 'dev' },
  { saltenv: 'prod' },
  { state_top_saltenv: 'dev' },
  { env_order: ['qa', 'dev', 'base'] },
  { env_order: ['qa', 'qa', 'nope'] },
  { top_file_merging_strategy: 'same', default_top: 'dev' },
  { top_file_merging_strategy: 'merge_all', env_order: ['dev', 'base'] },
].map((opts) => ({ name: `several environments, ${JSON.stringify(opts)}`, files: ENVIRONMENTS_FILES, opts }));

/** All trees. */
export const STATE_TREES: readonly StateTree[] = [
  ...FORMS,
  ...INCLUDES,
  ...EXTENDS,
  ...EXCLUDES,
  ...REQUISITES,
  ...FAULTS,
  ...TOPS,
  ...STRATEGIES,
];
