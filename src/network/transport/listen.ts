/** Starting a listener: one way for TCP ports and unix sockets, with errors that name the address. */
import type { ErrorCode } from '../../errors/codes.ts';
import { chmodSync, unlinkSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { BrineError } from '../../errors/errors.ts';
import { closedFolderOn } from '../../host/not-permitted.ts';
import { thisUser } from '../../host/own-account.ts';
import { addressText, type Address } from './address.ts';

/** Room for a path in a socket's address. */
const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103;

/** How to listen. */
export interface ListenOptions {
  readonly address: Address;
  readonly backlog?: number;
  /** Permission bits of a unix socket; they hold from the first moment. */
  readonly mode?: number;
}

/** The address cannot be listened on. */
class ListenError extends BrineError {
  static override readonly errorCode: ErrorCode = 'address-not-listenable';
  override readonly name = 'ListenError';
  override readonly exitCode = 4;
}

/**
 * Listens; a unix socket left behind by a dead process is replaced, one that answers is not.
 * @returns the server, and the address with the port that the system chose when it was 0
 * @throws ListenError naming the address and what to do
 */
export async function listen(
  options: ListenOptions,
  accept: (socket: Socket) => void,
): Promise<{ server: Server; address: Address }> {
  const { address, backlog = 1000, mode = 0o600 } = options;
  if ('path' in address) {
    requireSocketPath(address.path);
    await removeStaleSocket(address.path);
  }
  const server = createServer({ allowHalfOpen: false }, accept);
  const umask = 'path' in address ? process.umask(0o777 & ~mode) : undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...address, backlog }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (cause) {
    throw listenError(address, cause as NodeJS.ErrnoException);
  } finally {
    if (umask !== undefined) process.umask(umask);
  }
  if ('path' in address) {
    chmodSync(address.path, mode);
    return { server, address };
  }
  return { server, address: { host: address.host, port: (server.address() as AddressInfo).port } };
}

/** The system would silently cut a longer path, and all sockets of a folder would be one. */
function requireSocketPath(path: string): void {
  const length = Buffer.byteLength(path);
  if (length <= SOCKET_PATH_BYTES_MAX) return;
  throw new ListenError(
    `Unable to listen on ipc://${path}: the path has ${length} bytes, and the system allows ${SOCKET_PATH_BYTES_MAX}; set sock_dir to a shorter one.`,
  );
}

function listenError(address: Address, cause: NodeJS.ErrnoException): ListenError {
  const where = addressText(address);
  const reason =
    cause.code === 'EADDRINUSE'
      ? 'another program is using it; is there another salt-master running?'
      : cause.code === 'EACCES'
        ? notAllowed(address)
        : cause.code === 'ENOTFOUND' || cause.code === 'EAI_AGAIN' || cause.code === 'EADDRNOTAVAIL'
          ? `${cause.message}; set interface to an address of this machine, or 0.0.0.0 for all of them`
          : cause.message;
  return new ListenError(`Unable to listen on ${where}: ${reason}`, { cause });
}

/** Which folder, or which port, and whose right it is that lacks. */
function notAllowed(address: Address): string {
  const username = thisUser();
  if (!('path' in address))
    return `the user ${username} may not use this port, as those below 1024 are root's`;
  const closed = closedFolderOn(address.path);
  return closed === undefined
    ? `the user ${username} may not make a file in ${dirname(address.path)}; give that folder to ${username}`
    : `the user ${username} may not enter the folder ${closed}; let ${username} in, or set sock_dir to another folder`;
}

async function removeStaleSocket(path: string): Promise<void> {
  const answered = await new Promise<boolean>((resolve) => {
    const probe = connect({ path });
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
  if (answered) return;
  try {
    unlinkSync(path);
  } catch {
    // there was none
  }
}
