/** The description of the interface itself. */
import { JSON_TYPE } from '../json.ts';
import { openRoute, Special, type Route } from '../route.ts';
import { dictionary } from '../schema.ts';

/** The routes. */
export const documentRoutes: readonly Route[] = [
  openRoute({
    id: 'openapi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document.',
    answer: dictionary(),
    run: ({ deps }) => Promise.resolve(new Special({ bytes: deps.document(), type: JSON_TYPE })),
  }),
];
