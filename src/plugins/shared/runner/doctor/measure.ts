/** Measuring a fleet for `manage.doctor`: the figures that the master shows, who is connected, keys, disks. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { MasterOptions } from '../../../../config/master-options.ts';
import { masterSockets } from '../../../../config/master-sockets.ts';
import type { Clock } from '../../../../host/clock.ts';
import { sendHttp } from '../../../../network/http/client.ts';
import { ReadFigures } from '../../../../runtime/metrics/read-exposition.ts';
import { readPresence } from '../../../../runtime/client/presence.ts';
import type { KeyStore } from '../../../../storage/keys/store.ts';
import type { Measured } from './findings.ts';

/** What measuring needs. */
export interface MeasureDeps {
  readonly opts: MasterOptions;
  readonly keys: KeyStore;
  readonly clock: Clock;
}

const FIGURES_MS = 3_000;
const FIGURES_BYTES_MAX = 8 * 1024 * 1024;

/** @returns what was measured; what cannot be measured is left out */
export async function measure(deps: MeasureDeps): Promise<Measured> {
  const { opts, keys } = deps;
  const accepted = keys.list('accepted');
  const presence = existsSync(masterSockets(opts).publishPull)
    ? await readPresence(opts, accepted)
    : undefined;
  const away = accepted.filter((id) => presence !== undefined && presence.get(id)?.isConnected !== true);
  return {
    figures: await readFigures(deps),
    isRunning: presence !== undefined,
    accepted,
    pending: keys.list('pending'),
    away: new Map(away.map((id) => [id, presence?.get(id)?.lostSince])),
    disks: await disksOf([opts.get('cachedir'), opts.get('pki_dir')]),
  };
}

/** The page of `metrics_address`; undefined where there is none. */
async function readFigures({ opts, clock }: MeasureDeps): Promise<ReadFigures | undefined> {
  const address = opts.get('metrics_address');
  if (address === '') return undefined;
  try {
    // a master that listens on every address is asked on this machine
    const url = new URL(`http://${address.replace(/^(0\.0\.0\.0|\[::\]):/, '127.0.0.1:')}/metrics`);
    const { status, text } = await sendHttp({
      method: 'GET',
      url,
      timeoutMs: FIGURES_MS,
      answerBytesMax: FIGURES_BYTES_MAX,
      agent: 'salt-run',
      clock,
    });
    return status === 200 ? new ReadFigures(text) : undefined;
  } catch {
    return undefined; // a master that does not run shows none
  }
}

async function disksOf(paths: readonly string[]): Promise<Measured['disks']> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const stats = await statfs(path).catch(() => undefined);
      return stats && { path, freeBytes: stats.bavail * stats.bsize, sizeBytes: stats.blocks * stats.bsize };
    }),
  );
  const disks = found.filter((each) => each !== undefined);
  // two folders of one disk are told once
  return disks.filter(
    (each, at) =>
      disks.findIndex((other) => other.sizeBytes === each.sizeBytes && other.freeBytes === each.freeBytes) ===
      at,
  );
}
