/** Lists in pages: how many, from where on, and the cursor by which the next one is asked for. */
import { ApiFault } from './fault.ts';
import { integer, list, nullable, object, optional, text, type Schema } from './schema.ts';

const LIMIT_MAX = 1000;
const LIMIT = 100;

/** What every list takes behind `?`. */
export const pageQuery = {
  limit: optional(
    integer({ minimum: 1, maximum: LIMIT_MAX, description: `items of a page; default ${LIMIT}` }),
  ),
  cursor: optional(text({ maxLength: 1000, description: '`next` of the page before' })),
} as const;

/** How many are wanted. */
export function limitOf({ limit = LIMIT }: { readonly limit?: number }): number {
  return limit;
}

/** A page of items. */
export function page<T>(
  of: Schema<T>,
): Schema<{ readonly items: readonly T[]; readonly next: string | null; readonly total?: number }> {
  return object({
    items: list(of),
    next: nullable(text({ description: 'the cursor of the next page; null at the end' })),
    total: optional(integer({ description: 'all items that the filters let pass, where that is known' })),
  });
}

/** Makes a cursor. @param kind of list, so that a cursor of another one is refused */
export function cursorOf(kind: string, at: string): string {
  return Buffer.from(`${kind}:${at}`).toString('base64url');
}

/** @returns what the cursor was made of; undefined without one @throws ApiFault `bad-cursor` */
export function readCursor(kind: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const [found, ...at] = Buffer.from(cursor, 'base64url').toString('utf8').split(':');
  if (found !== kind)
    throw new ApiFault(
      'bad-cursor',
      'The cursor was not made by this list: take `next` of the page before as it is.',
      {
        field: 'cursor',
      },
    );
  return at.join(':');
}

/** A page of a list that is at hand as a whole: the cursor is the number of what comes before. */
export function pageOf<T>(
  kind: string,
  all: readonly T[],
  query: { readonly limit?: number; readonly cursor?: string },
): { items: readonly T[]; next: string | null; total: number } {
  const from = Number(readCursor(kind, query.cursor) ?? 0);
  if (!Number.isSafeInteger(from) || from < 0)
    throw new ApiFault('bad-cursor', 'The cursor was not made by this list.', { field: 'cursor' });
  const until = from + limitOf(query);
  return {
    items: all.slice(from, until),
    next: until < all.length ? cursorOf(kind, String(until)) : null,
    total: all.length,
  };
}
