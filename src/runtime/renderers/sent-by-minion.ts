/** Refusing to decrypt what a minion has sent itself, for the renderers of secrets. */
import { isBytes, isDict, type Value } from '../../python/values/value.ts';
import { SaltRenderError, type RenderContext } from './renderer.ts';

/** Calls `visit` with every text of a value, as characters that stand for its bytes. */
export function visitTexts(value: Value, visit: (text: string) => void): void {
  if (typeof value === 'string') visit(Buffer.from(value).toString('latin1'));
  else if (isBytes(value)) visit(Buffer.from(value).toString('latin1'));
  else if (Array.isArray(value)) for (const item of value) visitTexts(item, visit);
  else if (isDict(value)) for (const item of value.values()) visitTexts(item, visit);
}

/**
 * A minion that has been taken over could send a message of somebody else, which it knows from a repository, and have
 * it decrypted by a template that prints its grains.
 * @param body the message without blanks and marks around it
 * @throws SaltRenderError
 */
export function refuseIfSent(body: string, context: Pick<RenderContext, 'sentByMinion'>): void {
  for (const value of context.sentByMinion ?? [])
    visitTexts(value, (text) => {
      if (text.replaceAll('\\n', '').replace(/\s+/g, '').includes(body))
        throw new SaltRenderError(
          'An encrypted message that the minion itself has sent in its grains or in an override of its pillar is not decrypted.',
        );
    });
}

/** A copy of a value with each text replaced by what `change` makes of it; keys stay. */
export async function mapTexts(
  value: Value,
  change: (text: string) => Value | Promise<Value>,
): Promise<Value> {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) {
    const out: Value[] = [];
    for (const item of value) out.push(await mapTexts(item, change));
    return out;
  }
  if (!isDict(value)) return value;
  const out = new Map<Value, Value>();
  for (const [key, item] of value) out.set(key, await mapTexts(item, change));
  return out;
}
