/** What makes a master a member of its cluster: files below `<pki_dir>/cluster`. */
import { join } from 'node:path';
import { BrineError } from '../../errors/errors.ts';
import { makeDirectory, readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { requirePrivate } from '../../host/loose-modes.ts';
import { Secret } from '../../host/secret.ts';
import { isKeyString } from '../../network/crypto/crypticle.ts';

/** The folder of a master's membership. */
export function membershipFolder(pkiDir: string): string {
  return join(pkiDir, 'cluster');
}

function secretPath(pkiDir: string): string {
  return join(membershipFolder(pkiDir), 'secret');
}

/**
 * The cluster's secret, which only members have.
 * @param id the cluster's name, as the configuration has it
 * @throws BrineError when this master is no member, or of another cluster
 */
export function readClusterSecret(pkiDir: string, id: string): Secret {
  const text = readTextIfExists(secretPath(pkiDir));
  if (text === undefined)
    throw new BrineError(
      `This master is no member of the cluster ${id} yet. On the first master: salt-run cluster.init. On every further one: ` +
        'salt-run cluster.join. Then start it.',
      { code: 'config-invalid' },
    );
  requirePrivate(secretPath(pkiDir));
  const [cluster = '', key = ''] = text.trim().split(' ');
  if (cluster !== id)
    throw new BrineError(
      `This master is a member of the cluster ${cluster}, and its configuration names ${id}. Correct the option cluster, or leave with ` +
        'salt-run cluster.leave.',
      { code: 'config-invalid' },
    );
  if (!isKeyString(key))
    throw new BrineError(
      `${secretPath(pkiDir)} holds no secret of a cluster. Join again with salt-run cluster.join.`,
      {
        code: 'key-unusable',
      },
    );
  return new Secret(key);
}

/** Whether this master is a member of some cluster. */
export function isMember(pkiDir: string): boolean {
  return readTextIfExists(secretPath(pkiDir)) !== undefined;
}

/** Makes this master a member. */
export function writeClusterSecret(pkiDir: string, id: string, secret: Secret): void {
  makeDirectory(membershipFolder(pkiDir), 0o700);
  writeFileAtomic(secretPath(pkiDir), `${id} ${secret.reveal()}\n`, { mode: 0o600, durable: true });
}
