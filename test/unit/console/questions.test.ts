/** Questions of the console: which functions are asked about follows from what their own documentation says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyLooks, questionOf } from '../../../src/console/model/questions.ts';
import { MODULE_TABLE } from '../../../src/plugins/registry/module/table.generated.ts';
import { RUNNER_TABLE } from '../../../src/plugins/registry/runner/table.generated.ts';
import { WHEEL_TABLE } from '../../../src/plugins/registry/wheel/table.generated.ts';

/** Verbs of what removes, stops or restarts something: its documentation begins with one, or has it behind a comma. */
const TAKES_AWAY =
  /^(Stops|Restarts|Kills|Ends|Halts|Pauses|Freezes|Suspends|Shuts|Removes|Deletes|Destroys|Erases|Discards|Drops|Empties|Clears|Forgets|Disables|Masks|Locks|Blocks|Closes|Revokes|Rejects|Undoes|Resets|Reverts|Unmounts|Detaches|Disconnects|Uninstalls|Unsets|Wipes|Purges)\b|(,| or| and) (stops|restarts|kills|ends|removes|deletes|destroys|disables) |^Takes .* away\b|^Takes .* out( of a mirror)?$|^(Replaces everything|Changes the runlevel|Starts (the machine|a container) anew|Has a container stand still)/;
/** Whose sentence has such a verb, and which take nothing away by themselves. */
const HARMLESS: Readonly<Record<string, string>> = {
  'docker.run_container': 'ends with the container that it made',
  'file.uncomment': 'takes lines out of comments',
  'git.branch': 'removes only where its options say so',
  'git.tag': 'removes only where its options say so',
  'helm.repo_manage': 'adds and removes names of repositories',
  'lxc.clone': 'makes one',
  'partition.disk_set': 'one flag',
  'partition.set': 'one flag',
  'selinux.setsemod': 'one module, whichever way',
};

interface Documented {
  readonly name: string;
  readonly functions: Readonly<Record<string, { readonly doc?: string }>>;
}

/** Functions with the first sentence of their documentation. */
function sentences(modules: readonly Documented[]): [string, string][] {
  return modules.flatMap(({ name, functions }) =>
    Object.entries(functions).map(([fun, { doc = '' }]): [string, string] => [
      `${name}.${fun}`,
      (/^.*?(?=\.\s|\.$|$)/s.exec(doc)?.[0] ?? doc).replaceAll('\n', ' '),
    ]),
  );
}

test('console - what its own documentation says removes, stops or restarts something is asked about, on one minion that was named, too', async () => {
  const documented = sentences(await Promise.all(MODULE_TABLE.map(({ load }) => load())));
  const taking = documented.filter(([fun, doc]) => TAKES_AWAY.test(doc) && HARMLESS[fun] === undefined);
  assert.ok(taking.length > 200, `${taking.length} functions`);
  const quiet = taking.filter(
    ([fun]) =>
      questionOf({
        ...{ kind: 'local', fun, args: '', isTest: false },
        ...{ target: 'web1', isNamed: true, count: 1 },
      }) === undefined,
  );
  assert.deepEqual(quiet, []);
  const names = new Set(documented.map(([fun]) => fun));
  assert.deepEqual(
    Object.keys(HARMLESS).filter((fun) => !names.has(fun)),
    [],
  );
});

test('console - a function of the master whose documentation says that it removes or stops something is no look', async () => {
  const master = await Promise.all([...RUNNER_TABLE.values(), ...WHEEL_TABLE.values()].map((load) => load()));
  const looks = sentences(master).filter(([fun, doc]) => TAKES_AWAY.test(doc) && onlyLooks(fun));
  assert.deepEqual(looks, []);
});

test('console - what its own documentation says only tells something is sent at once to a minion that was named', async () => {
  const documented = sentences(await Promise.all(MODULE_TABLE.map(({ load }) => load())));
  const asked = documented.filter(
    ([fun, doc]) =>
      /^(Returns|Lists|Describes|Says whether|Tells|Shows)\b/.test(doc) &&
      questionOf({
        ...{ kind: 'local', fun, args: '', isTest: false },
        ...{ target: 'web1', isNamed: true, count: 1 },
      }) !== undefined,
  );
  assert.deepEqual(asked, []);
});
