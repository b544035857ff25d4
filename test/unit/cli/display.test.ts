import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Display } from '../../../src/cli/terminal/display.ts';
import { guardTerminals, writeStyled, type CommandIo } from '../../../src/cli/terminal/io.ts';
import { silentLogger } from '../../../src/host/log.ts';
import { minionsOutputter, OUTPUTTER_NAMES } from '../../../src/plugins/outputters/registry.ts';
import { dict, type Dict } from '../../../src/python/values/value.ts';

/** Streams that are terminals or not, and what was written to each. */
function streams(isTTY: boolean): { io: CommandIo; out: () => string; err: () => string } {
  let [out, err] = ['', ''];
  const io = {
    stdin: process.stdin,
    stdout: { isTTY, columns: 80, write: (text: string) => (out += text) },
    stderr: { isTTY, columns: 80, write: (text: string) => (err += text) },
    env: {},
  };
  return { io: guardTerminals(io), out: () => out, err: () => err };
}

const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const withoutColors = (text: string): string => text.replace(/\x1b\[0;(\d;)?\d+m/g, '');
const EVIL = '\x1b[2K\x1b[8m\x9b1A\r\x07\x7f\u202e\u2066\u200b\u2028\ufeff';

function hostile(): Dict {
  const state = {
    result: true,
    comment: `c${EVIL}\nd`,
    changes: dict({ [`ch\n${EVIL}`]: EVIL }),
    duration: 1,
    start_time: EVIL,
  };
  return dict({
    [`web1${EVIL}`]: dict({
      [`file_|-id${EVIL}\n_|-name${EVIL}_|-managed`]: dict({
        ...state,
        name: `n${EVIL}`,
        __id__: EVIL,
        __run_num__: 0,
      }),
    }),
    web2: dict({ [`key${EVIL}\nweb3:`]: [EVIL, dict({ x: EVIL })], bytes: Buffer.from(EVIL) }),
    web4: `first${EVIL}\nsecond`,
    web5: [dict({ [`column${EVIL}`]: `cell${EVIL}` })],
  });
}

for (const name of OUTPUTTER_NAMES) {
  test(`display - on a terminal ${name} shows what minions return without letting it steer`, async () => {
    for (const data of [hostile(), ...[...hostile()].map(([key, value]) => new Map([[key, value]]))]) {
      const { io, out } = streams(true);
      await new Display(dict({ output: name }), io, silentLogger, 'test.echo').value(data);
      assert.doesNotMatch(withoutColors(out()), UNSEEN);
    }
  });
}

test('display - files and pipes get what minions return as it is', async () => {
  const { io, out } = streams(false);
  await new Display(dict({ output: 'txt', strip_colors: false }), io, silentLogger, '').value(
    dict({ a: 'x\x1b[1A\u202ey' }),
  );
  assert.equal(out(), 'a: x\x1b[1A\u202ey\n');
});

test('display - lines, errors and questions steer no terminal, and our own colours and bars do', () => {
  const { io, out, err } = streams(true);
  const display = new Display(new Map(), io, silentLogger, '');
  display.line(`${EVIL}line`);
  display.error(`${EVIL}error`);
  io.stdout.write('Proceed with \x1b[2K? ');
  writeStyled(io.stderr, '\r50% |###');
  assert.doesNotMatch(out(), UNSEEN);
  assert.ok(err().endsWith('\r50% |###'));
  assert.doesNotMatch(err().replace('\r50%', ''), UNSEEN);
});

test('display - a minion chooses among outputters that show what and whose it is', () => {
  for (const name of [
    'highstate',
    'nested',
    'txt',
    'yaml',
    'json',
    'raw',
    'pprint',
    'table',
    'one_of_ones_own',
  ])
    assert.equal(minionsOutputter(name), name);
  for (const name of [
    'quiet',
    'progress',
    'no_return',
    'key',
    'newline_values_only',
    'profile',
    'virt_query',
    7,
  ])
    assert.equal(minionsOutputter(name), undefined, String(name));
});
