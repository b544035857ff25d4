/**
 * Snapshots of machines (3006.16 salt/modules/virt.py `list_snapshots`, `snapshot`, `delete_snapshots`,
 * `revert_snapshot`).
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { textIn } from '../../../formats/xml/read.ts';
import { localTimeMs, strftime } from '../../../python/text/strftime.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import type { Virsh } from './virsh.ts';

interface Snapshot {
  readonly name: string;
  readonly createdSeconds: number;
  readonly isRunning: boolean;
  readonly isCurrent: boolean;
}

const SECOND_MS = 1000;

async function snapshotsOf(virsh: Virsh, machine: string): Promise<Snapshot[]> {
  const names = await virsh.names(['snapshot-list', machine, '--name']);
  if (names.length === 0) return [];
  const current = await virsh.run(['snapshot-current', machine, '--name']);
  const found: Snapshot[] = [];
  for (const name of names) {
    const about = await virsh.xml(['snapshot-dumpxml', machine, name]);
    found.push({
      name,
      createdSeconds: Number(textIn(about, 'creationTime')),
      isRunning: textIn(about, 'state') === 'running',
      isCurrent: current.retcode === 0 && current.stdout.trim() === name,
    });
  }
  return found;
}

const shown = ({ name, createdSeconds, isRunning, isCurrent }: Snapshot): Dict =>
  dict({
    name,
    running: isRunning,
    created: strftime(localTimeMs(createdSeconds * SECOND_MS), '%Y-%m-%d %H:%M:%S'),
    current: isCurrent,
  });

const shownAll = (snapshots: readonly Snapshot[]): Value =>
  snapshots.length === 0 ? 'N/A' : snapshots.map(shown);

/** The snapshots of machines. */
export async function listSnapshots(virsh: Virsh, machines: readonly string[]): Promise<Dict> {
  const found = dict();
  for (const machine of machines) found.set(machine, shownAll(await snapshotsOf(virsh, machine)));
  return found;
}

/** Takes a snapshot. */
export async function takeSnapshot(
  ctx: ModuleContext,
  virsh: Virsh,
  {
    machine,
    name,
    suffix,
  }: { readonly machine: string; name: string | undefined; suffix: string | undefined },
): Promise<Dict> {
  if (name?.toLowerCase() === machine.toLowerCase())
    throw new CommandExecutionError(
      `Virtual Machine ${name} is already defined. Please choose another name for the snapshot`,
    );
  const stamp = strftime(localTimeMs(ctx.clock.nowMs()), '%Y%m%d-%H%M%S');
  const whole = `${name ?? `${machine}-${stamp}`}${suffix === undefined ? '' : `-${suffix}`}`;
  await virsh.actOn(machine, 'snapshot-create-as', whole);
  return dict({ name: whole });
}

/** Removes snapshots. @param names which; all where there are none */
export async function deleteSnapshots(
  virsh: Virsh,
  machine: string,
  names: readonly string[],
): Promise<Dict> {
  await virsh.needMachine(machine);
  const deleted = dict();
  for (const snapshot of await snapshotsOf(virsh, machine)) {
    if (names.length > 0 && !names.includes(snapshot.name)) continue;
    await virsh.act(['snapshot-delete', machine, snapshot.name]);
    deleted.set(snapshot.name, shown(snapshot));
  }
  return dict({ available: await listSnapshots(virsh, [machine]), deleted });
}

/** Makes a machine what it was. @param wanted the snapshot; the one before the current one where it is not given */
export async function revertSnapshot(
  virsh: Virsh,
  machine: string,
  { wanted, cleanup }: { readonly wanted: string | undefined; readonly cleanup: boolean },
): Promise<Dict> {
  await virsh.needMachine(machine);
  const all = (await snapshotsOf(virsh, machine)).sort((a, b) => b.createdSeconds - a.createdSeconds);
  if (all.length === 0) throw new CommandExecutionError('No snapshots found');
  if (all.length === 1)
    throw new CommandExecutionError('Cannot revert to itself: only one snapshot is available.');
  const current = all.findIndex(({ isCurrent }) => isCurrent);
  const found =
    wanted === undefined
      ? current < 0
        ? undefined
        : all[current + 1]
      : all.find(({ name }) => name === wanted);
  if (found === undefined)
    throw new CommandExecutionError(
      // Salt compat: the sentence is this one also where no snapshot is named
      `Snapshot "${wanted ?? 'None'}" not found`,
    );
  if (found.isCurrent) throw new CommandExecutionError('Cannot revert to the currently running snapshot.');
  await virsh.act(['snapshot-revert', machine, found.name]);
  if (!cleanup) return dict({ reverted: found.name, deleted: 'N/A' });
  const newer = all.slice(0, all.indexOf(found)).map(({ name }) => name);
  for (const name of newer) await virsh.act(['snapshot-delete', machine, name]);
  return dict({ reverted: found.name, deleted: newer });
}
