/** The daemons of Salt that a takeover would take, as they are recorded. */
import type { ProcessTable } from '../../host/running-processes.ts';
import { planLinks } from './command-links.ts';
import { daemonsOn, type Role, type RunningDaemon } from './daemons-here.ts';
import { programOf, type DaemonManager } from './daemon-manager.ts';
import type { Programs } from './programs.ts';
import type { RecordedDaemon } from './record.ts';
import type { Site } from './site.ts';
import { TakeoverError } from './takeover-error.ts';

/** What finding them needs. */
export interface FindDeps {
  readonly site: Site;
  readonly table: ProcessTable;
  readonly programs: Programs;
  /** Where links to the commands go; undefined for none. */
  readonly linkFolder: string | undefined;
  readonly unitOf: (daemon: RunningDaemon) => Promise<string | undefined>;
  readonly managerOf: (daemon: Pick<RecordedDaemon, 'unit'>) => DaemonManager;
}

/** Salt's daemons of these roles that run. @throws TakeoverError for one that this account cannot stop */
export async function findDaemons(roles: readonly Role[], deps: FindDeps): Promise<RecordedDaemon[]> {
  const running = daemonsOn(deps.site.configDir, deps.table).filter(
    ({ role, maker }) => maker === 'salt' && roles.includes(role),
  );
  const found: RecordedDaemon[] = [];
  for (const daemon of running) found.push(await recorded(daemon, deps));
  return found;
}

async function recorded(daemon: RunningDaemon, deps: FindDeps): Promise<RecordedDaemon> {
  const { role, pid, command, options, isInBackground } = daemon;
  const facts = deps.table.facts(pid);
  const own = process.geteuid?.() ?? -1;
  if (facts === undefined || (own !== 0 && facts.uid !== own))
    throw new TakeoverError(
      `Salt's ${programOf(role)} (process ${pid}) runs as another account: run this as root.`,
      { code: 'takeover-refused' },
    );
  const unit = await deps.unitOf(daemon);
  // a daemon that root has started gives root up by itself
  const startsAs = own === 0 && startedByRoot(role, facts.uid, deps) ? { uid: 0, gid: 0, groups: [] } : facts;
  const base = {
    ...{ role, command, options, isInBackground },
    ...{ uid: startsAs.uid, gid: startsAs.gid, groups: startsAs.groups },
    cwd: facts.cwd,
    env: environmentOf(facts.env),
    ...(unit === undefined ? {} : { unit }),
    ports: deps.site.portsOf(daemon),
    hadSession: await deps.site.hasSession(daemon),
    links: planLinks([role], deps.linkFolder, deps.programs).links,
    isTaken: false,
  };
  return { ...base, files: deps.managerOf(base).filesOf({ ...base, files: [] }) };
}

/** Whether the account is the one that the configuration names, to which the daemon went from root. */
function startedByRoot(role: Role, uid: number, { site }: FindDeps): boolean {
  if (uid === 0) return true;
  const user = (role === 'minion' ? site.minion : site.master).raw('user');
  return user !== 'root' && user !== '';
}

/**
 * What the daemon was started with. A daemon that named itself anew may have written over the end of it, so that what
 * every program needs comes from us where it is missing.
 */
function environmentOf(env: ReadonlyMap<string, string>): Record<string, string> {
  const usual = ['PATH', 'HOME', 'LANG'].flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const named = [...env].filter(([name]) => /^[A-Za-z_]\w*$/.test(name));
  return Object.fromEntries([...usual, ...named]);
}
