/**
 * Names of runners that Salt 3006 and 3007 have and Brine does not, so that a call of one is told from a slip of the pen. Only looked at
 * when a runner was not found: a name that is implemented meanwhile does no harm here.
 */

const MODULES: ReadonlySet<string> = new Set(
  (
    'asam auth bgp cloud ddns digicert drac f5 git_pillar launchd lxc match mattermost nacl net pagerduty ' +
    'pkg reactor spacewalk ssh thin vault venafi virt vistara vmadm winrepo'
  ).split(' '),
);

/** Functions of runner modules that are here. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  'cache.cloud manage.bootstrap manage.bootstrap_psexec saltutil.sync_wrapper'.split(' '),
);

/** What is said of a runner function that was not found. @param fun its full name, or a word without a dot */
export function missingRunnerText(fun: string): string {
  const module = fun.split('.')[0] ?? '';
  if (fun.includes('.') && MODULES.has(module))
    return `'${fun}' is not available here: Brine does not have Salt's runner module ${module}.`;
  if (FUNCTIONS.has(fun)) return `'${fun}' is not available here: Brine does not have this runner of Salt.`;
  return `'${fun}' is not available.`;
}
