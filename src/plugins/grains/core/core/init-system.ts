/** What starts services and guards them: init, systemd, selinux (salt/grains/core.py). */
import type { Dict } from '../../../../python/values/value.ts';
import { dict } from '../../../../python/values/value.ts';
import type { GrainsContext } from '../context.ts';
import type { GrainsHost } from '../host.ts';

const INIT_NAMES = ['upstart', 'sysvinit', 'systemd'];
const CHUNK_BYTES = 262_144;

/** The `init` grain on Linux. */
export function initSystem(ctx: GrainsContext): string {
  const { host } = ctx;
  if (host.stat('/run/systemd/system')) return 'systemd';
  const commandLine = host.readText('/proc/1/cmdline');
  if (commandLine === undefined) return 'unknown';
  const words = commandLine
    .replaceAll('\0', ' ')
    .split(/\s+/)
    .filter((x) => x !== '');
  const program = words[0] === undefined ? undefined : ctx.which(words[0]);
  if (program?.endsWith('bin/init')) return namedInside(host, program) ?? 'unknown';
  for (const name of ['supervisord', 'dumb-init', 'tini']) {
    const path = ctx.which(name);
    if (path !== undefined && words.includes(path)) return name;
  }
  if ((words.length === 1 && words[0] === 'runit') || words.includes('/sbin/my_init')) return 'runit';
  return 'unknown';
}

/** The first init system whose name stands in the program's file. */
function namedInside(host: GrainsHost, path: string): string | undefined {
  let edge = '';
  for (let offset = 0; ; offset += CHUNK_BYTES) {
    const bytes = host.readBytes(path, offset, CHUNK_BYTES);
    if (!bytes || bytes.length === 0) return undefined;
    const text = edge + bytes.toString('latin1').toLowerCase();
    const name = INIT_NAMES.find((x) => text.includes(x));
    if (name !== undefined) return name;
    edge = text.slice(-7);
  }
}

/** The `systemd` grain, or undefined where systemd is not installed. */
export async function systemdGrain(ctx: GrainsContext): Promise<Dict | undefined> {
  if (!ctx.which('systemctl') || !ctx.which('localectl')) return undefined;
  const result = await ctx.run(['systemctl', '--version']);
  const [first = '', features = ''] = result?.retcode === 0 ? result.stdout.split('\n') : [];
  const version = first.startsWith('systemd ') ? first.split(/\s+/)[1] : undefined;
  if (version === undefined || features === '') {
    ctx.log.error('systemctl --version did not tell the version and features of systemd.');
  }
  return dict({ version: version ?? 'UNDEFINED', features: version === undefined ? '' : features });
}

/** The `selinux` grain, or undefined where its programs are not installed. */
export async function selinuxGrain(ctx: GrainsContext): Promise<Dict | undefined> {
  if (!ctx.which('selinuxenabled')) return undefined;
  const hasEnforce = ctx.which('getenforce') !== undefined;
  // without the kernel's side both programs can only say no
  if (!ctx.host.stat('/sys/fs/selinux/enforce') && !ctx.host.stat('/selinux/enforce')) {
    return dict({ enabled: false, enforced: hasEnforce ? 'Disabled' : undefined });
  }
  const [enabled, enforce] = await Promise.all([ctx.run(['selinuxenabled']), ctx.run(['getenforce'])]);
  return dict({
    enabled: enabled?.retcode === 0,
    enforced: hasEnforce ? (enforce?.stdout.trim() ?? '') : undefined,
  });
}
