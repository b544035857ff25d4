/** What is wrong with the fleet, as `manage.doctor` says it. */
import { findings, stateOf } from '../../../../plugins/shared/runner/doctor/findings.ts';
import { measure } from '../../../../plugins/shared/runner/doctor/measure.ts';
import { route, type Route } from '../route.ts';
import { component, list, mapping, nullable, number, object, oneOf, text } from '../schema.ts';

const finding = component(
  'Finding',
  object({
    code: text({ description: 'stays the same whatever the sentences become' }),
    severity: oneOf(['warning', 'critical']),
    what: text(),
    who: nullable(text({ description: 'a minion, a process, a folder' })),
    why: text(),
    next: text({ description: 'what to do' }),
    figures: mapping(number()),
  }),
);

/** The routes. */
export const doctorRoutes: readonly Route[] = [
  route({
    id: 'doctor',
    method: 'GET',
    path: '/doctor',
    summary: 'Which limit binds, which minion is ill, and what to do.',
    needs: { client: 'runner', fun: 'manage.doctor' },
    answer: object({
      state: oneOf(['well', 'warning', 'ill']),
      findings: list(finding),
      at: text({ format: 'date-time' }),
    }),
    run: async ({ deps: { files, clock } }) => {
      const found = findings(await measure({ opts: files.opts, keys: files.keys, clock }));
      return {
        state: stateOf(found),
        findings: found.map(({ who, figures, ...said }) => ({
          ...said,
          who: who ?? null,
          figures: new Map(Object.entries(figures)),
        })),
        at: new Date(clock.nowMs()).toISOString(),
      };
    },
  }),
];
