/** Returns that say that a function has not done what it was asked for: their forms, and which functions have them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODULE_TABLE } from '../../../../src/plugins/registry/module/table.generated.ts';
import { RUNNER_TABLE } from '../../../../src/plugins/registry/runner/table.generated.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { executeFunction } from '../../../../src/runtime/loader/execute.ts';
import {
  isFailingReturn,
  textOtherThan,
  type FailingFunctions,
  type FailingReturn,
  type FailingRule,
} from '../../../../src/runtime/loader/failing-returns.ts';
import { defineFunction, defineModule } from '../../../../src/runtime/loader/module.ts';
import { fakeContext, type FakeContext } from '../../../support/module-context.ts';
import { openly } from '../../../support/open-call.ts';

test('failing returns - what each form means, and what it does not', () => {
  const table: readonly [FailingReturn, readonly Value[], readonly Value[]][] = [
    ['false', [false, [false, 'why']], [true, null, '', 0, [false], dict({ a: false })]],
    ['true', [true], [false, 'x']],
    ['none', [null], [false, '']],
    ['empty', ['', [], new Map()], [false, null, 0, 'x', [''], dict({ a: '' })]],
    ['text', ['why not'], ['', true, null, ['why not']]],
    ['list', [['why'], []], ['why', dict({})]],
    [
      'within',
      [dict({ a: false }), ['/x', false], dict({ x: dict({ result: false }) })],
      [false, dict({ a: null })],
    ],
    [
      'error',
      [
        dict({ error: 'refused' }),
        dict({ '20200101000000000000': dict({ Error: 'no job' }) }),
        dict({ res: false, message: 'x' }),
        dict({ status: false, comment: 'x' }),
        dict({ retcode: 2 }),
        'Error: set x does not exist',
      ],
      [
        dict({ error: '' }),
        dict({ error: null }),
        dict({ res: true }),
        dict({ retcode: 0 }),
        'errors are rare',
        '',
      ],
    ],
  ];
  for (const [form, failing, fine] of table) {
    for (const value of failing)
      assert.equal(isFailingReturn([form], value), true, `${form} ${String(value)}`);
    for (const value of fine) assert.equal(isFailingReturn([form], value), false, `${form} ${String(value)}`);
  }
  const word = [textOtherThan('new', 'present')];
  assert.equal(isFailingReturn(word, 'present'), false);
  assert.equal(isFailingReturn(word, 'bad minute'), true);
});

test('failing returns - a job has the return of Salt and code 1; with exit_codes: salt its code, too', async () => {
  const run = (value: Value, opts: Record<string, Value> = {}): FakeContext => {
    const module = defineModule({
      name: 'try',
      file: 'try',
      doc: 'Two functions.',
      failsWith: { false: ['start'] },
      functions: {
        start: defineFunction({ doc: 'Acts.', returns: 'true or false', run: () => value }),
        status: defineFunction({ doc: 'Answers.', returns: 'true or false', run: () => value }),
      },
    });
    const table = [{ name: 'try', file: 'try', load: () => Promise.resolve(module) }];
    return fakeContext({ opts: dict(opts), registry: { table } });
  };
  const job = (fun: string, value: Value, opts?: Record<string, Value>) =>
    executeFunction(fun, run(value, opts), []);
  assert.deepEqual(await job('try.start', false), { return: false, retcode: 1, success: false });
  assert.deepEqual(await job('try.start', true), { return: true, retcode: 0, success: true });
  assert.deepEqual(await job('try.status', false), { return: false, retcode: 0, success: true });
  assert.deepEqual(await job('try.start', false, { exit_codes: 'salt' }), {
    return: false,
    retcode: 0,
    success: true,
  });
  // another function that calls it makes of it what it will
  const ctx = run(false);
  assert.equal(await openly(ctx.functions.call)('try.start'), false);
  assert.equal(ctx.retcode, 0);
});

/** Questions, whose answer may be no, or that there is nothing. */
const QUESTIONS = [
  ...[
    'file.file_exists',
    'file.directory_exists',
    'file.contains',
    'file.is_link',
    'file.access',
    'cmd.has_exec',
  ],
  ...['pkg.version', 'pkg.latest_version', 'pkg.upgrade_available', 'service.status', 'service.enabled'],
  ...[
    'service.available',
    'user.info',
    'group.info',
    'config.get',
    'pillar.get',
    'pillar.item',
    'grains.get',
  ],
  ...[
    'grains.item',
    'match.compound',
    'mount.is_mounted',
    'cp.is_cached',
    'cp.list_master',
    'git.is_worktree',
  ],
  ...[
    'test.ping',
    'test.false',
    'status.ping_master',
    'ps.pgrep',
    'x509.verify_signature',
    'mysql.db_exists',
  ],
  ...['saltutil.find_job', 'saltutil.running', 'cron.get_entry', 'docker.exists', 'schedule.is_enabled'],
];
const MASTER_QUESTIONS = [
  'manage.up',
  'manage.down',
  'manage.status',
  'jobs.active',
  'jobs.list_jobs',
  'config.get',
];

interface Declared {
  readonly name: string;
  readonly functions: Readonly<Record<string, { readonly failsWith?: readonly FailingRule[] }>>;
  readonly failsWith?: FailingFunctions;
}

function unknownNames({ name, functions, failsWith = {} }: Declared): string[] {
  const declared = Object.values(failsWith).flat();
  return declared.filter((fun) => !Object.hasOwn(functions, fun)).map((fun) => `${name}.${fun}`);
}

function answering(modules: readonly Declared[], questions: readonly string[]): string[] {
  return questions.filter((full) => {
    const [name = '', fun = ''] = full.split('.');
    return modules.some((module) => module.name === name && module.functions[fun]?.failsWith !== undefined);
  });
}

test('failing returns - modules declare them of functions that they have, and never of questions', async () => {
  const modules = await Promise.all(MODULE_TABLE.map(({ load }) => load()));
  const runners = await Promise.all([...RUNNER_TABLE.values()].map((load) => load()));
  assert.deepEqual([...modules, ...runners].flatMap(unknownNames), []);
  assert.deepEqual(answering(modules, QUESTIONS), []);
  assert.deepEqual(answering(runners, MASTER_QUESTIONS), []);
  // whoever acts and answers by true or false says by false that it was not done
  const acting = [
    'service.start',
    'user.add',
    'group.delete',
    'cp.push',
    'event.send',
    'mysql.db_create',
    'mine.send',
  ];
  assert.deepEqual(answering(modules, acting), acting);
});
