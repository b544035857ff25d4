/** The renderer stateconf beside what a real Salt 3006.16 makes of the same files, and the other renderers of data. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson } from '../../../../src/formats/json/text.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import type { Value } from '../../../../src/python/values/value.ts';
import { RenderPipe } from '../../../../src/runtime/renderers/pipe.ts';

const OPEN = { whitelist: [], blacklist: [] };

/** Renders files of one run, by the names of their SLS; gives the last. */
async function rendered(...files: readonly (readonly [sls: string, text: string])[]): Promise<Value> {
  const run = {};
  const pipe = new RenderPipe({ clock: systemClock, random: systemRandom, log: silentLogger });
  let last: Value = null;
  for (const [sls, text] of files) {
    last = await pipe.render(text, 'jinja|yaml', OPEN, {
      opt: () => undefined,
      saltenv: 'base',
      sls,
      path: `/srv/salt/${sls.replaceAll('.', '/')}.sls`,
      variables: new Map(),
      functions: { has: () => false, call: () => `opened` },
      run,
      readTemplate: () => undefined,
    });
  }
  return last;
}

test('stateconf - settings are variables, names with a dot those of the SLS, and a goal requires all', async () => {
  const text = `#!stateconf yaml . jinja
.params:
  stateconf.set:
    - port: 80
    - name: x
# --- end of state config ---
.one:
  cmd.run:
    - name: echo {{ params.port }} {{ sls_dir }}
    - require:
      - cmd: .two
.two:
  cmd.run:
    - cwd: /tmp
three:
  test.nop
`;
  assert.equal(
    toJson(await rendered(['a', text])),
    '{"three": {"test.nop": []}, "a::params": {"stateconf.set": [{"port": 80}, {"name": "x"}]}, ' +
      '"a::one": {"cmd.run": [{"name": "echo 80 a"}, {"require": [{"cmd": "a::two"}]}]}, ' +
      '"a::two": {"cmd.run": [{"name": "two"}, {"cwd": "/tmp"}]}, ' +
      '"a::goal": {"stateconf.set": [{"require": [{"stateconf": "a::params"}, {"cmd": "a::one"}, {"cmd": "a::two"}, {"test": "three"}]}]}}',
  );
});

test('stateconf - settings of another SLS are extended, and states ordered', async () => {
  const over =
    '#!stateconf -so\ninclude:\n  - .c\nextend:\n  .c::params:\n    stateconf.set:\n      - port: 8080\n.one:\n  test.nop: []\n.two:\n  test.nop: []\n';
  const under =
    '#!stateconf -G\n.params:\n  stateconf.set:\n    - port: 80\n    - host: h\n# -- end of state config --\n.show:\n  test.nop:\n    - text: {{ params.port }} {{ params.host }}\n';
  assert.equal(
    toJson(await rendered(['d.b', over])),
    '{"include": [{"base": "d.c"}], "extend": {"d.c::params": {"stateconf.set": [{"port": 8080}]}}, ' +
      '"d.b::one": {"test.nop": [{"name": "one"}]}, "d.b::two": {"test.nop": [{"name": "two"}, {"require": [{"test": "d.b::one"}]}]}, ' +
      '"d.b::start": {"stateconf.set": [{"require_in": [{"test": "d.b::one"}]}]}, ' +
      '"d.b::goal": {"stateconf.set": [{"require": [{"test": "d.b::one"}, {"test": "d.b::two"}, {"stateconf": "d.b::start"}]}]}}',
  );
  assert.equal(
    toJson(await rendered(['d.b', over], ['d.c', under])),
    '{"d.c::params": {"stateconf.set": [{"port": 80}, {"host": "h"}]}, "d.c::show": {"test.nop": [{"name": "show"}, {"text": "8080 h"}]}}',
  );
});

test('stateconf - data of a renderer before, and what it refuses', async () => {
  assert.equal(
    toJson(
      await rendered([
        'h',
        '#!yaml|stateconf -pG\n.a:\n  test.nop\nb:\n  test.nop:\n    - require_in:\n      - test: .a\n',
      ]),
    ),
    '{"b": {"test.nop": [{"require_in": [{"test": "h::a"}]}]}, "h::a": {"test.nop": [{"name": "a"}]}}',
  );
  for (const [text, reason] of [
    ['#!stateconf -x\na: {}', /option -x not recognized/],
    ['#!stateconf yaml\na: {}', /Invalid use of stateconf renderer!/],
    ['#!stateconf nope . jinja\na: {}', /Renderer: 'nope' is not available!/],
    ['#!stateconf -o json . jinja\n{}', /Implicit ordering is only supported if the yaml renderer is used!/],
    ['#!stateconf -o\n.b:\n  cmd.run:\n    - names: [a]\n', /'names' declaration\(found in state id: \.b\)/],
    [
      '#!stateconf -o\n.b:\n  cmd.run:\n    - require:\n      - cmd: .c\n.c:\n  cmd.run: []\n',
      /State\(\.b:cmd\) can't require\/watch\/listen\/onchanges\/onfail a state\(\.c:cmd\) defined after it!/,
    ],
    ['#!stateconf\n.goal:\n  test.nop\n', /Can't generate goal state\(\.goal\)!/],
    ['#!stateconf\ninclude:\n  - ...x\n', /goes beyond top level package/],
  ] as const)
    await assert.rejects(rendered(['k', text]), reason, text);
});

test('renderers - toml, yamlex, json5, hjson and nacl make data', async () => {
  assert.equal(toJson(await rendered(['t', '#!jinja|toml\n# c\n[a]\nb = {{ 1 + 1 }}\n'])), '{"a": {"b": 2}}');
  assert.equal(
    toJson(await rendered(['y', '#!yamlex\na: !aggregate x\na: !aggregate y\n'])),
    '{"a": ["x", "y"]}',
  );
  assert.equal(toJson(await rendered(['j', "#!json5\n{a: 'b',}\n"])), '{"a": "b"}');
  assert.equal(toJson(await rendered(['h', '#!hjson\na: b c\n'])), '{"a": "b c"}');
  assert.equal(toJson(await rendered(['n', '#!yaml|nacl\na: ["NACL[x]", y]\n'])), '{"a": ["opened", "y"]}');
});

test('renderers - a fault of toml has its place', async () => {
  await assert.rejects(
    rendered(['t', '#!toml\na = = 1\n']),
    /TOML: Empty value is invalid|TOML: '=' is no value.*line 2/,
  );
});
