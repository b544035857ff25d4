/** The description of the interface itself. */
import { openRoute, type Route } from '../route.ts';
import { dictionary } from '../schema.ts';

/** The routes. */
export const documentRoutes: readonly Route[] = [
  openRoute({
    id: 'openapi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document.',
    answer: dictionary(),
    run: ({ deps }) => Promise.resolve(deps.document()),
  }),
];
