/** Who sends a body that is more than strangers may send. */
import type { BodyTerms } from './body.ts';
import type { Resource } from './resource.ts';
import type { Session } from './sessions.ts';
import type { TokenChecks } from './token-checks.ts';

/** A token in low data, in JSON, YAML or a form. */
const TOKEN = /\btoken\b["']?(?:\s*[:=]\s*|%3[dD])["']?([0-9a-fA-F]{32,128})\b/;

/**
 * How the sender of a body is found out.
 * @param bodies what the resource says of its bodies
 * @param session of whoever sends it
 */
export function senderOf(
  bodies: Resource['bodies'],
  session: Session | undefined,
  checks: Pick<TokenChecks, 'ask'>,
): BodyTerms['senderOf'] {
  if (session !== undefined) return () => 'known';
  if (bodies === 'of anybody') return () => 'anybody';
  if (bodies !== 'with a token') return () => 'stranger';
  return async (begun) => {
    const token = TOKEN.exec(begun.toString('latin1'))?.[1];
    return token !== undefined && (await checks.ask(token)) !== undefined ? 'known' : 'stranger';
  };
}
