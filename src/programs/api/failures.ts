/** What is answered when something goes wrong (salt/netapi/rest_cherrypy/app.py `hypermedia_handler`, 3006.16). */
import { messageOf, SaltInvocationError } from '../../errors/errors.ts';
import { dict, type Value } from '../../python/values/value.ts';
import { ClientError, MasterDownError, NotAuthorisedError } from '../../runtime/client/errors.ts';
import { HttpFault } from './http-fault.ts';
import { BadCallError } from './low.ts';

/** @returns the page for an error that has one; undefined for what nobody has foreseen */
export function faultOf(error: unknown): HttpFault | undefined {
  if (error instanceof HttpFault) return error;
  if (error instanceof NotAuthorisedError) return new HttpFault(401, error.message);
  if (error instanceof SaltInvocationError || error instanceof BadCallError)
    return new HttpFault(400, error.message);
  if (error instanceof MasterDownError) return new HttpFault(503, error.message);
  return undefined;
}

/**
 * The data that is answered with status 500: what the master gives as its reason is said, and what happened in here
 * only with `debug`.
 */
export function unexpected(error: unknown, debug: boolean): Value {
  const isTold = debug || error instanceof ClientError;
  return dict({ status: 500, return: isTold ? messageOf(error) : 'An unexpected error occurred' });
}
