import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CommandExecutionError,
  CommandNotFoundError,
  ConfigError,
  SaltInvocationError,
} from '../../../../src/errors/errors.ts';
import { executeFunction, executeFunctionList } from '../../../../src/runtime/loader/execute.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../../../src/runtime/loader/module.ts';
import { PythonError } from '../../../../src/python/exceptions.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext, type FakeContext } from '../../../support/module-context.ts';
import { openly } from '../../../support/open-call.ts';

function contextWith(
  run: (ctx: ModuleContext) => Value | Promise<Value>,
  extra: { grains?: Dict; pillar?: Dict; opts?: Dict } = {},
): FakeContext {
  const module = defineModule({
    name: 'try',
    file: 'try',
    doc: 'One function.',
    functions: {
      it: defineFunction({ doc: 'Does it.', returns: 'it', run }),
      set: defineFunction({
        doc: 'Sets the code.',
        returns: 'True',
        run: (ctx) => (ctx.setRetcode(3), true),
      }),
      shown: defineFunction({ doc: 'Has a hint.', returns: 'text', outputter: 'txt', run: () => 'x' }),
    },
  });
  const table = [{ name: 'try', file: 'try', load: () => Promise.resolve(module) }];
  return fakeContext({ ...extra, registry: { table } });
}

function throwing(error: Error): FakeContext {
  return contextWith(() => {
    throw error;
  });
}

test('execute - the return, the code and success of a function that ends well', async () => {
  for (const value of [true, false, null, 0, '', dict({ a: 1 })] as Value[]) {
    assert.deepEqual(
      await executeFunction(
        'try.it',
        contextWith(() => value),
        [],
      ),
      { return: value, retcode: 0, success: true },
    );
  }
});

test('execute - a mapping that reports failure gives return code 1', async () => {
  for (const key of ['result', 'success']) {
    for (const [flag, retcode] of [
      [false, 1],
      [null, 1],
      [true, 0],
    ] as const) {
      const result = await executeFunction(
        'try.it',
        contextWith(() => dict({ [key]: flag })),
        [],
      );
      assert.equal(result.retcode, retcode, `${key}: ${flag}`);
      assert.equal(result.success, retcode === 0);
    }
  }
});

test('execute - the code that a function sets, also through a call, is the code of the job', async () => {
  const ctx = contextWith((own) => openly(own.functions.call)('try.set'));
  assert.deepEqual(await executeFunction('try.it', ctx, []), { return: true, retcode: 3, success: false });
});

test('execute - the hint of the outputter travels with the return', async () => {
  assert.equal(
    (
      await executeFunction(
        'try.shown',
        contextWith(() => null),
        [],
      )
    ).out,
    'txt',
  );
});

test('execute - each error has its sentence', async () => {
  const sentences: [Error, string][] = [
    [new CommandNotFoundError('at'), "Command required for 'try.it' not found: at"],
    [new CommandExecutionError('broken'), 'ERROR: broken'],
    [new SaltInvocationError('wrong'), "ERROR executing 'try.it': wrong"],
    [new ConfigError('odd'), "ERROR executing 'try.it': odd"],
    [
      new PythonError('ValueError', 'no'),
      'The minion function caused an exception: Traceback (most recent call last):\nValueError: no\n',
    ],
    [
      new TypeError('x is not a function'),
      'The minion function caused an exception: Traceback (most recent call last):\nException: x is not a function\n',
    ],
    [
      Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', errno: -2, path: '/x' }),
      "The minion function caused an exception: Traceback (most recent call last):\nFileNotFoundError: [Errno 2] No such file or directory: '/x'\n",
    ],
  ];
  for (const [error, text] of sentences) {
    assert.deepEqual(await executeFunction('try.it', throwing(error), []), {
      return: text,
      retcode: 1,
      success: false,
      out: 'nested',
    });
  }
});

test('execute - the log names the function that has thrown', async () => {
  const ctx = throwing(new RangeError('too far'));
  await executeFunction('try.it', ctx, []);
  await executeFunctionList(['try.it'], ctx, [[]]);
  const line = 'The minion function try.it caused an exception: too far';
  assert.deepEqual(
    ctx.logged.map(({ message }) => message),
    [line, line],
  );
});

test('execute - wrong arguments come with the documentation', async () => {
  const result = await executeFunction(
    'try.it',
    contextWith(() => null),
    [1],
  );
  const text = result.return as string;
  assert.ok(
    text.startsWith(
      'Passed invalid arguments to try.it: it() takes 0 positional arguments but 1 was given\n\n    Does it.\n',
    ),
  );
  assert.equal(result.retcode, 1);
});

test('execute - an unknown function comes with the documentation of similar ones', async () => {
  const result = await executeFunction(
    'try.s',
    contextWith(() => null),
    [],
  );
  assert.deepEqual([...(result.return as Dict).keys()], ['try.set', 'try.shown', 'try.s']);
  assert.equal((result.return as Dict).get('try.s'), "'try.s' is not available.");
  assert.equal(
    (
      await executeFunction(
        'try.x',
        contextWith(() => null),
        [],
      )
    ).return,
    "'try.x' is not available.",
  );
  assert.deepEqual(
    await executeFunction(
      '',
      contextWith(() => null),
      [],
    ).then((r) => r.retcode),
    1,
  );
});

test('execute - a minion in blackout runs only what is allowed', async () => {
  const sentence =
    "ERROR executing 'try.it': Minion in blackout mode. Set 'minion_blackout' to False in pillar or grains to resume " +
    'operations. Only saltutil.refresh_pillar allowed in blackout mode.';
  const blackout = dict({ minion_blackout: true });
  const allowed = dict({ minion_blackout: true, minion_blackout_whitelist: ['try.it'] });
  const run = (): Value => 1;
  assert.equal(
    (await executeFunction('try.it', contextWith(run, { pillar: blackout }), [])).return,
    sentence,
  );
  assert.equal(
    (await executeFunction('try.it', contextWith(run, { grains: blackout }), [])).return,
    sentence,
  );
  assert.equal((await executeFunction('try.it', contextWith(run, { grains: allowed }), [])).return, 1);
});

test('execute - several functions in one job each have their return', async () => {
  const ctx = contextWith(() => dict({ result: false }));
  const result = await executeFunctionList(['try.it', 'try.nope', 'try.set'], ctx, [[], [], []]);
  const lost =
    "Traceback (most recent call last):\nsalt.exceptions.CommandExecutionError: 'try.nope' is not available.\n";
  assert.deepEqual(
    result.return,
    new Map<Value, Value>([
      ['try.it', dict({ result: false })],
      ['try.nope', lost],
      ['try.set', true],
    ]),
  );
  assert.deepEqual(result.retcode, dict({ 'try.it': 1, 'try.nope': 1, 'try.set': 3 }));
  assert.deepEqual(result.success, dict({ 'try.it': false, 'try.nope': false, 'try.set': false }));
  const ordered = contextWith(() => 1, { opts: dict({ multifunc_ordered: true }) });
  assert.deepEqual((await executeFunctionList(['try.it', 'try.it'], ordered, [[], []])).return, [1, 1]);
});
