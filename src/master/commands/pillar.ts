/**
 * `_pillar`: a minion asks for its pillar, and leaves its grains. The reply is encrypted with a key made for it alone and
 * signed, with the request's nonce inside (wire-protocol.md, 5.6; CVE-2022-22934).
 */
import type { AcceptedKeys } from '../../channel/accepted-keys.ts';
import type { AesHandler, AesRequest } from '../../channel/door.ts';
import type { MinionDataCache } from '../../cache/minion-data.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { Crypticle, generateKeyString } from '../../crypto/crypticle.ts';
import { isEncryptionAlgorithm, isSigningAlgorithm, type RsaPrivateKey } from '../../crypto/rsa.ts';
import { tags } from '../../events/tags.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../values/value.ts';
import { encode, type Encodable } from '../../wire/msgpack.ts';

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
export interface PillarParts {
  readonly opts: MasterOptions;
  readonly masterKey: RsaPrivateKey;
  readonly keys: AcceptedKeys;
  readonly cache: MinionDataCache;
  /** Makes the pillar of a minion. */
  readonly compile: (query: PillarQuery) => Promise<Dict>;
  readonly fireEvent: (tag: string, data: Dict) => void;
}

/** Serves `_pillar`. */
export function pillarHandler(parts: PillarParts): AesHandler {
  return async (request) => {
    const query = readQuery(request);
    const pillar = await parts.compile(query);
    remember(parts, query, pillar);
    return { raw: sealPillar(parts, request, pillar) };
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

function remember({ opts, cache, fireEvent }: PillarParts, { id, grains }: PillarQuery, pillar: Dict): void {
  if (!opts.get('minion_data_cache')) return;
  cache.write(id, 'data', dict({ grains, pillar }));
  if (opts.get('minion_data_cache_events'))
    fireEvent(tags.minionRefresh(id), dict({ 'Minion data cache refresh': id }));
}

function sealPillar({ masterKey, keys }: PillarParts, request: AesRequest, pillar: Dict): Encodable {
  const key = keys.get(request.id);
  if (key === undefined || !isEncryptionAlgorithm(request.encAlgo)) return { error: 'bad load' };
  const oneTime = new Crypticle(generateKeyString());
  const wrapped = key.encrypt(Buffer.from(oneTime.keyString.reveal()), request.encAlgo);
  if (request.version < 2) return { key: wrapped, pillar: oneTime.dumps(pillar) };
  if (request.nonce === '') return { error: 'Nonce not included in request' };
  if (!isSigningAlgorithm(request.sigAlgo)) return { error: 'bad load' };
  const data = encode({ key: wrapped, pillar, nonce: request.nonce }, 'network');
  return { key: wrapped, pillar: oneTime.dumps({ data, sig: masterKey.sign(data, request.sigAlgo) }) };
}
