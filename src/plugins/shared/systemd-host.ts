/** What is known about systemd on this machine. Follows 3006.16 salt/utils/systemd.py. */
import { lstatSync } from 'node:fs';
import { runProcess } from '../../host/process.ts';
import { findProgram } from '../../host/which.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';

/** True when systemd has started this machine. */
export function isSystemdBooted(): boolean {
  return lstatSync('/run/systemd/system', { throwIfNoEntry: false }) !== undefined;
}

/** The version of systemd; undefined where it cannot be told. */
export async function systemdVersion(ctx: ModuleContext): Promise<number | undefined> {
  try {
    const { stdout } = await runProcess(['systemctl', '--version'], {
      signal: ctx.signal,
      clock: ctx.clock,
      timeoutMs: 30_000,
    });
    const digits = /^systemd (\d+)/.exec(stdout.toString('utf8'))?.[1];
    return digits === undefined ? undefined : Number(digits);
  } catch {
    return undefined;
  }
}

/** True where programs can be started in a scope of their own, outside of the minion's service. */
export async function hasScope(ctx: ModuleContext): Promise<boolean> {
  if (!isSystemdBooted() || findProgram('systemd-run') === undefined) return false;
  return ((await systemdVersion(ctx)) ?? 0) >= 205;
}
