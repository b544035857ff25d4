/**
 * Names of runners that Salt 3006 and 3007 have and Brine does not, so that a call of one is told from a slip of the
 * pen. Only looked at when a runner was not found: a name that is implemented meanwhile does no harm here.
 */
import { RUNNER_TABLE } from './table.generated.ts';

const MODULES: ReadonlySet<string> = new Set(
  (
    'asam bgp cloud ddns digicert drac f5 launchd lxc match mattermost net pagerduty ' +
    'pkg spacewalk ssh thin venafi virt vistara vmadm winrepo'
  ).split(' '),
);

/** What to do instead, or what the module would need. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['net', 'It asks network devices through NAPALM; network.* is what wakes and reaches machines.'],
]);

/** Functions of runner modules that are here. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  'cache.cloud manage.bootstrap manage.bootstrap_psexec saltutil.sync_wrapper'.split(' '),
);

/** What is said of a runner function that was not found. @param fun its full name, or a word without a dot */
export function missingRunnerText(fun: string): string {
  const module = fun.split('.')[0] ?? '';
  if (fun.includes('.') && MODULES.has(module) && !RUNNER_TABLE.has(module)) {
    const hint = HINTS.get(module);
    const more = hint === undefined ? '' : ` ${hint}`;
    return `'${fun}' is not available here: Brine does not have Salt's runner module ${module}.${more}`;
  }
  if (FUNCTIONS.has(fun)) return `'${fun}' is not available here: Brine does not have this runner of Salt.`;
  return `'${fun}' is not available.`;
}

/** Whether Salt has this runner function where Brine does not. @param fun its full name */
export function isSaltsRunner(fun: string): boolean {
  const module = fun.split('.')[0] ?? '';
  return (MODULES.has(module) && !RUNNER_TABLE.has(module)) || FUNCTIONS.has(fun);
}
