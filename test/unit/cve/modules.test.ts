/**
 * Flaws of Salt's history in modules, templates and the file client: one test each, named after the CVE. They attack
 * the one place that decides; the built programs are attacked in test/e2e/known-flaws.test.ts, where more than that
 * place has a part in it.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { externalFilePath } from '../../../src/storage/fileclient/cache-paths.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { createLogger } from '../../../src/host/log.ts';
import {
  DEFAULT_OPTIONS,
  renderJinja,
  TemplateCache,
  type TValue,
} from '../../../src/formats/jinja/index.ts';
import { cmdYaml } from '../../../src/runtime/pillar/ext/command.ts';
import { dict } from '../../../src/python/values/value.ts';
import { folder } from '../../support/attacker.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const log = createLogger('test', []);

// Salt put what came from a URL under a name made of the URL: whoever chose `source` and `source_hash` wrote anywhere
// as root.
test('CVE-2021-21996 - what comes from a URL is kept below the cache, whatever the URL says', () => {
  const root = '/cache/minion';
  const inside = `${root}/extrn_files/base/`;
  for (const url of [
    'http://h/../../../../etc/cron.d/x',
    'http://h/a/../../../../../etc/cron.d/x',
    'http://h/..',
    'http://../x',
    'http://../../x',
    'http://..',
    'http://h/x?../../../../../../etc/cron.d/x',
    'http://h/x?/../../../../../../etc/cron.d/x',
    'http:///../../x',
    'http:..',
    'http:../../../../etc/x',
    'http://user@../../x',
    'http://h\\..\\..\\x/y',
    'http://h/\0/x',
    `http://h/${'../'.repeat(200)}etc/x`,
    `http://h/${'a/'.repeat(5000)}`,
  ]) {
    let path: string;
    try {
      path = externalFilePath(root, 'base', url);
    } catch (error) {
      assert.equal((error as Error).name, 'UnsafePathError', url);
      continue;
    }
    assert.ok(path.startsWith(inside) && !path.includes('..') && path !== inside, `${url} leads to ${path}`);
  }
  for (const saltenv of ['..', '../..', '/etc', 'a/../../..', 'a\0'])
    assert.throws(() => externalFilePath(root, saltenv, 'http://h/x'), { name: 'UnsafePathError' }, saltenv);
});

// Salt rendered templates without a sandbox: whoever had a word in one reached Python's classes behind the values, and
// a shell.
test('CVE-2021-25283 - templates reach nothing behind the values', async () => {
  const cache = new TemplateCache();
  const values = new Map<string, TValue>([
    ['name', 'x'],
    ['list', [1]],
    ['map', dict({ a: 1 })],
  ]);
  const render = async (source: string): Promise<string> =>
    renderJinja({
      source,
      context: values,
      options: DEFAULT_OPTIONS,
      load: () => undefined,
      compile: cache.compile,
    });
  const escapes = [
    `{{ ''.__class__.__mro__[1].__subclasses__() }}`,
    `{{ ''['__class__']['__mro__'] }}`,
    `{{ ''|attr('__class__')|attr('__mro__') }}`,
    `{{ '{0.__class__.__mro__}'.format('') }}`,
    `{{ ('{0.__cl' ~ 'ass__}').format('') }}`,
    `{{ '{a.__class__}'.format_map({'a': 1}) }}`,
    `{{ [''].__class__ }}`,
    `{{ [list, map]|map(attribute='__class__')|list }}`,
    `{{ [name]|map('attr', '__class__')|list }}`,
    `{{ name.constructor.constructor('return process')() }}`,
    `{{ name['constructor']['constructor']('return process')() }}`,
    `{{ list.map.constructor('return process')() }}`,
    `{{ map.__proto__.polluted }}`,
    `{{ map['__proto__']['polluted'] }}`,
    `{{ cycler.__init__.__globals__.os.popen('id').read() }}`,
    `{{ lipsum.__globals__['os'].popen('id').read() }}`,
    `{{ self.__init__.__globals__ }}`,
    `{{ self._TemplateReference__context }}`,
    `{{ namespace.__init__.__globals__ }}`,
    `{{ range.__class__ }}`,
    `{{ dict.mro() }}`,
    `{{ joiner.constructor('return this')() }}`,
    `{{ [1]|sort(attribute='constructor.constructor')|list }}`,
    `{{ ().__class__.__base__ }}`,
    `{% set x = namespace() %}{% set x.__class__ = 1 %}{{ x.__class__ }}`,
    `{{ (name|e).__html__.__globals__ }}`,
    `{{ process.env }}`,
    `{{ globalThis }}`,
    `{{ require('child_process') }}`,
  ];
  for (const source of escapes) {
    const text = await render(source).catch((error: unknown) => {
      assert.ok(error instanceof Error && error.name !== 'TypeError', `${source}: ${String(error)}`);
      return '';
    });
    assert.doesNotMatch(text, /uid=|<class|function|native code|\[object|node:|PATH|subclass/, source);
  }
  assert.equal((Object.prototype as Record<string, unknown>)['polluted'], undefined);
});

// Salt put the names of processes (restartcheck) and of files (snapper) into lines that a shell read.
test('CVE-2020-28243, CVE-2021-31607 - nothing but cmd, cmd_json and cmd_yaml ever has a shell read a line', () => {
  // the line of `docker.run` is the operator's own, and read by a shell of the container; names of variables are
  // letters and digits
  const mayUseShell = [
    /^plugins\/cmd\/(module\/|state\.ts$)/,
    /^plugins\/(shared\/container-command|docker\/module\/functions\/commands)\.ts$/,
    /^runtime\/pillar\/ext\/command\.ts$/,
    /^host\/process\.ts$/,
  ];
  const starts =
    /['"](?:\/bin\/)?(?:ba|da|k|z)?sh['"],\s*['"]-c|shell:\s*true|python_shell:\s*true|\bexecSync\(/;
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  assert.ok(sources.length > 500);
  const found = sources.filter((path) => starts.test(readFileSync(join(ROOT, 'src', path), 'utf8')));
  assert.deepEqual(
    found.filter((path) => !mayUseShell.some((allowed) => allowed.test(path))),
    [],
  );
  assert.ok(found.includes('runtime/pillar/ext/command.ts'), 'the pattern finds what there is');
});

// Of the same kind: the id of a minion in a line that a shell reads, which Salt's cmd_yaml and cmd_json take as it is.
test('cmd_yaml - no id of a minion becomes a command, with any quotes around %s', async (t) => {
  const trace = join(folder(t), 'trace');
  const run = cmdYaml(systemClock);
  const context = { grains: dict({}), pillar: dict({}), opts: dict({}), log, errors: [] };
  const commands = ['echo id: %s', "echo id: '%s'", 'echo id: "%s"', 'echo "id: `echo %s`"'];
  for (const minionId of [
    `$(touch ${trace})`,
    `a;touch ${trace}`,
    `a'$(touch ${trace})'`,
    `a" ; touch ${trace}; "`,
    '`id`',
    '-n',
    'a b',
  ])
    for (const command of commands)
      await assert.rejects(
        async () => run(command, { ...context, minionId }),
        /holds characters that a shell reads/,
      );
  assert.ok(!existsSync(trace));
  for (const command of commands)
    assert.deepEqual(
      await run(command, { ...context, minionId: 'web-1.ex_ämple:8' }),
      dict({ id: 'web-1.ex_ämple:8' }),
    );
});
