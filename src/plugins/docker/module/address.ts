/**
 * Where the Docker daemon listens (3006.16 salt/modules/dockermod.py `_get_client`; the forms are those of
 * `DOCKER_HOST`).
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

/** A socket of this machine, or a host. */
export type DaemonAddress =
  | { readonly socketPath: string; readonly shown: string }
  | { readonly isTls: boolean; readonly host: string; readonly port: number; readonly shown: string };

const DEFAULT = '/var/run/docker.sock';

/** Reads an address: `unix:///path`, `tcp://host:port`, `http://…`, `https://…`. @throws CommandExecutionError */
export function parseAddress(text: string): DaemonAddress {
  const given = text.trim();
  if (given === '' || given === 'unix://') return { socketPath: DEFAULT, shown: DEFAULT };
  const socketPath = /^(?:http\+)?unix:\/\/(.+)$/.exec(given)?.[1];
  if (socketPath !== undefined) {
    const path = socketPath.startsWith('/') ? socketPath : `/${socketPath}`;
    return { socketPath: path, shown: path };
  }
  const [, scheme = 'tcp', host = '', port] =
    /^(?:(tcp|http|https):\/\/)?(\[[0-9a-fA-F:.]+\]|[^\s:/?#@[\]]*):([0-9]{1,5})\/?$/.exec(given) ?? [];
  if (port === undefined)
    throw new CommandExecutionError(
      `The address of the Docker daemon (docker.url, DOCKER_HOST) must be unix:///path, tcp://host:port or https://host:port.`,
    );
  const plainHost = host.replace(/^\[|\]$/g, '') || '127.0.0.1';
  return { isTls: scheme === 'https', host: plainHost, port: Number(port), shown: `${plainHost}:${port}` };
}

async function option(ctx: ModuleContext, name: string): Promise<Value> {
  return (await ctx.functions.call('config.option', [name, null])) ?? null;
}

/**
 * The address of the configuration: `docker.url`, else `DOCKER_HOST`, else the socket.
 * @throws CommandExecutionError
 */
export async function daemonAddress(ctx: ModuleContext): Promise<DaemonAddress> {
  const machine = await option(ctx, 'docker.machine');
  if (truthy(machine))
    throw new CommandExecutionError(
      'docker.machine is not served: docker-machine is no longer made. Set docker.url to the address of the daemon.',
    );
  const url = await option(ctx, 'docker.url');
  return parseAddress(truthy(url) ? pyStr(url) : (process.env['DOCKER_HOST'] ?? ''));
}

/**
 * The version of the API that the configuration asks for (`docker.version`), as the beginning of a path; empty without
 * one.
 */
export async function versionPrefix(ctx: ModuleContext): Promise<string> {
  const version = await option(ctx, 'docker.version');
  const text = truthy(version) ? pyStr(version) : 'auto';
  return /^[0-9]+\.[0-9]+$/.test(text) ? `/v${text}` : '';
}
