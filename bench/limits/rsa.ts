/** The RSA operations of an authentication, and nothing else. */
import { cpus } from 'node:os';
import { DEFAULT_ENCRYPTION, DEFAULT_SIGNING, RsaPrivateKey } from '../../src/network/crypto/rsa.ts';
import { generatePair } from '../../src/storage/keys/generate.ts';

const MEASURE_MS = 700;
const REPLY_BYTES = 1500;
/** The load process opens the keys of one reply in so many; see `load/auth-storm.ts`. */
const OPENED_EVERY = 16;

/**
 * What a machine could do whose cores did nothing else than what the protocol demands of the master, and what the load
 * process does to check its replies: for each a signature, and two texts wrapped for the minion; with a token, it is
 * opened and wrapped, too.
 * @returns authentications per second over all cores
 */
export async function rsaRates(): Promise<{ first: number; again: number }> {
  const [master, minion] = await Promise.all([generatedKey(), generatedKey()]);
  const reply = Buffer.alloc(REPLY_BYTES, 1);
  const secret = Buffer.alloc(76, 1);
  const wrapped = minion.publicKey.encrypt(secret, DEFAULT_ENCRYPTION);
  const signature = master.sign(reply, DEFAULT_SIGNING);
  const signMs = costMs(() => master.sign(reply, DEFAULT_SIGNING));
  const wrapMs = costMs(() => minion.publicKey.encrypt(secret, DEFAULT_ENCRYPTION));
  const openMs = costMs(() => minion.decrypt(wrapped, DEFAULT_ENCRYPTION));
  const verifyMs = costMs(() => master.publicKey.verify(reply, signature, DEFAULT_SIGNING));
  const checkMs = verifyMs + (2 * openMs) / OPENED_EVERY;
  const firstMs = signMs + 2 * wrapMs + checkMs;
  const perSecond = (ms: number): number => (1000 / ms) * cpus().length;
  return { first: perSecond(firstMs), again: perSecond(firstMs + openMs + wrapMs) };
}

async function generatedKey(): Promise<RsaPrivateKey> {
  return RsaPrivateKey.parse((await generatePair(2048)).privateKey);
}

/** Processor time of one operation. */
function costMs(operation: () => unknown): number {
  operation();
  const before = process.cpuUsage();
  const startedMs = performance.now();
  let done = 0;
  for (; performance.now() - startedMs < MEASURE_MS; done++) operation();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / done;
}
