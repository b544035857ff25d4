/**
 * Templates that an earlier version of the console has kept in this browser, until somebody moves them to the server.
 */
import type { TemplateCall } from '../model/contract.ts';
import { targetKind } from '../model/targets.ts';

const KEY = 'brine-templates';
const MOST = 200;

/** One of them. */
export interface BrowserTemplate {
  readonly name: string;
  readonly call: TemplateCall;
}

/** Those that can be read. */
export function browserTemplates(): BrowserTemplate[] {
  try {
    const given: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(given) ? given.slice(0, MOST).flatMap((each) => readTemplate(each) ?? []) : [];
  } catch {
    return [];
  }
}

/** Keeps these only. */
export function keepInBrowser(names: ReadonlySet<string>): void {
  try {
    const given: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    const left = Array.isArray(given)
      ? given.filter((each) => names.has(readTemplate(each)?.name ?? ''))
      : [];
    if (left.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(left));
  } catch {
    // a browser that keeps nothing has nothing to be moved
  }
}

function readTemplate(value: unknown): BrowserTemplate | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, fun, kind, target, fields, line } = value as Record<string, unknown>;
  if (typeof name !== 'string' || typeof fun !== 'string' || name === '' || fun === '') return undefined;
  const { text, kind: type } = (target ?? {}) as Record<string, unknown>;
  return {
    name,
    call: {
      kind: kind === 'runner' || kind === 'wheel' ? kind : 'local',
      fun,
      tgt: typeof text === 'string' ? text : '',
      tgt_type: targetKind(typeof type === 'string' ? type : undefined),
      fields: Object.fromEntries(
        Object.entries((fields ?? {}) as Record<string, unknown>).flatMap(([key, each]) =>
          typeof each === 'string' && each !== '' ? [[key, each]] : [],
        ),
      ),
      line: typeof line === 'string' ? line : '',
    },
  };
}
