/**
 * `_pillar`: a minion asks for its pillar, and leaves its grains. The reply is encrypted with a key made for it alone
 * and signed, with the request's nonce inside (docs/internals/wire-protocol.md#pillar; CVE-2022-22934).
 */
import type { AcceptedKeys } from '../../../network/channel/accepted-keys.ts';
import type { AesHandler, AesRequest } from '../../../network/channel/door.ts';
import { RIGHTS_PILLAR, type MinionDataCache } from '../../../storage/cache/minion-data.ts';
import { diskRefusal } from '../../../host/disk-refusal.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import { Crypticle, generateKeyString } from '../../../network/crypto/crypticle.ts';
import {
  isEncryptionAlgorithm,
  isSigningAlgorithm,
  type RsaPrivateKey,
} from '../../../network/crypto/rsa.ts';
import { tags } from '../../../network/events/tags.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { FewAtATime } from './few-at-a-time.ts';
import { encode, type Encodable } from '../../../formats/wire/msgpack.ts';

/** What asking for a pillar means. */
export interface PillarQuery {
  readonly id: string;
  readonly grains: Dict;
  readonly saltenv: string | null;
  readonly pillarenv: string | null;
  readonly override: Dict;
  /** An external pillar a function asks for. */
  readonly ext: Value;
  /** What the minion tells external pillars besides its grains. */
  readonly extraMinionData: Dict;
  /** Whether what is cached may not be used. */
  readonly fresh: boolean;
}

/** What serving pillar needs. */
export interface PillarHandlerDeps {
  readonly opts: MasterOptions;
  readonly masterKey: RsaPrivateKey;
  readonly keys: AcceptedKeys;
  readonly cache: MinionDataCache;
  /** Makes the pillar of a minion. */
  readonly compile: (query: PillarQuery) => Promise<Dict>;
  /** When a thousand minions ask at the same time, a few are served at a time. */
  readonly turns: Pick<FewAtATime, 'run'>;
  readonly fireEvent: (tag: string, data: Dict) => void;
  /** Told of each minion whose data the disk did not take. */
  readonly notKept: (error: Error) => void;
  /** Told of each minion whose grains are larger than those of a machine. */
  readonly warn: (id: string, text: string) => void;
}

/** Serves `_pillar`. */
export function pillarHandler(deps: PillarHandlerDeps): AesHandler {
  return async (request) => {
    const query = readQuery(request);
    return deps.turns.run(async () => {
      const pillar = await deps.compile(query);
      await remember(deps, query, pillar);
      return { raw: sealPillar(deps, request, pillar) };
    });
  };
}

function readQuery({ id, load }: AesRequest): PillarQuery {
  const text = (name: string): string | null => {
    const value = load.get(name);
    return typeof value === 'string' ? value : null;
  };
  const map = (name: string): Dict => {
    const value = load.get(name);
    return value !== undefined && isDict(value) ? value : new Map();
  };
  const grains = map('grains');
  grains.set('id', id);
  return {
    id,
    grains,
    saltenv: text('saltenv'),
    pillarenv: text('pillarenv'),
    override: map('pillar_override'),
    ext: load.get('ext') ?? null,
    extraMinionData: map('extra_minion_data'),
    fresh: truthy(load.get('clean_cache')),
  };
}

/**
 * Leaves grains and pillar where targets and rights look. Salt compat: a minion that takes part in making its pillar,
 * by an override or by an external pillar of its choice, leaves nothing; Salt keeps what comes of it, and with it lets
 * the minion into mines and targets. An environment of its choice is kept for targets, as minions with `pillarenv` in
 * their configuration need it; rights go by a pillar without it. Grains are the minion's word, as everywhere in Salt.
 */
async function remember(deps: PillarHandlerDeps, query: PillarQuery, pillar: Dict): Promise<void> {
  const { opts, cache, fireEvent } = deps;
  const { id, grains, override, ext } = query;
  if (!opts.get('minion_data_cache') || override.size > 0 || truthy(ext)) return;
  const megabytes = opts.get('grains_max_size');
  if (encode(grains, 'local').length > megabytes * 1024 * 1024)
    return deps.warn(
      id,
      `Grains and pillar of ${id} are not kept, targets go by older ones: ` +
        `its grains are larger than grains_max_size allows (${megabytes} MB). Remove what fills them, or raise the option`,
    );
  const data = dict({ grains, pillar });
  if (namesEnvironment(query, opts))
    data.set(RIGHTS_PILLAR, await deps.compile({ ...query, saltenv: null, pillarenv: null, fresh: false }));
  try {
    cache.write(id, 'data', data);
  } catch (error) {
    const refusal = diskRefusal(error);
    if (refusal === undefined) throw error;
    // a minion whose master has no room is to get its pillar all the same
    deps.notKept(refusal.keepingFrom(`Grains and pillar of ${id} are not kept, targets go by older ones`));
    return;
  }
  if (opts.get('minion_data_cache_events'))
    fireEvent(tags.minionRefresh(id), dict({ 'Minion data cache refresh': id }));
}

/** True when the minion has asked for other environments than those that it gets without asking. */
function namesEnvironment({ saltenv, pillarenv }: PillarQuery, opts: MasterOptions): boolean {
  return (saltenv ?? 'base') !== 'base' || (pillarenv !== null && pillarenv !== opts.raw('pillarenv'));
}

function sealPillar(
  { opts, masterKey, keys }: PillarHandlerDeps,
  request: AesRequest,
  pillar: Dict,
): Encodable {
  const key = keys.get(request.id);
  if (key === undefined || !isEncryptionAlgorithm(request.encAlgo, opts.get('fips_mode')))
    return { error: 'bad load' };
  const oneTime = new Crypticle(generateKeyString());
  const wrapped = key.encrypt(Buffer.from(oneTime.keyString.reveal()), request.encAlgo);
  if (request.version < 2) return { key: wrapped, pillar: oneTime.dumps(pillar) };
  if (request.nonce === '') return { error: 'Nonce not included in request' };
  if (!isSigningAlgorithm(request.sigAlgo, opts.get('fips_mode'))) return { error: 'bad load' };
  const data = encode({ key: wrapped, pillar, nonce: request.nonce }, 'network');
  return { key: wrapped, pillar: oneTime.dumps({ data, sig: masterKey.sign(data, request.sigAlgo) }) };
}
