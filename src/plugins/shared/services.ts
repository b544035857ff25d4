/** Services of this machine as other functions ask for them. */
import { answered, readFlag } from '../../runtime/loader/answered.ts';

/** `service.available`: whether there is a service of that name. */
export const serviceExists = answered('service.available', readFlag);

/** `service.status`: whether it runs. */
export const serviceRuns = answered('service.status', readFlag);

/** `service.enabled`: whether it starts with the machine. */
export const serviceStartsWithMachine = answered('service.enabled', readFlag);
