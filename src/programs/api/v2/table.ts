/**
 * Every route there is. The service, the OpenAPI document, the reference and the client are made from this one table.
 */
import type { Route } from './route.ts';
import { doctorRoutes } from './routes/doctor.ts';
import { documentRoutes } from './routes/document.ts';
import { eventRoutes } from './routes/events.ts';
import { jobRoutes } from './routes/jobs.ts';
import { keyRoutes } from './routes/keys.ts';
import { oidcRoutes } from './routes/oidc.ts';
import { masterFunctionRoutes } from './routes/master-functions.ts';
import { minionRoutes } from './routes/minions.ts';
import { sessionRoutes } from './routes/session.ts';
import { functionRoutes } from './routes/functions.ts';
import { orchestrationRoutes } from './routes/orchestrations.ts';
import { roleRoutes } from './routes/roles.ts';
import { runRoutes } from './routes/runs.ts';
import { stateRoutes } from './routes/states.ts';
import { templateRoutes } from './routes/templates.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { targetRoutes } from './routes/targets.ts';

/** In the order in which the reference shows them. */
export const ROUTES: readonly Route[] = [
  ...sessionRoutes,
  ...oidcRoutes,
  ...tokenRoutes,
  ...templateRoutes,
  ...jobRoutes,
  ...runRoutes,
  ...targetRoutes,
  ...minionRoutes,
  ...keyRoutes,
  ...functionRoutes,
  ...masterFunctionRoutes,
  ...stateRoutes,
  ...orchestrationRoutes,
  ...roleRoutes,
  ...eventRoutes,
  ...doctorRoutes,
  ...documentRoutes,
];
