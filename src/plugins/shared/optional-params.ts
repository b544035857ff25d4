/** Parameters of states that may be left out, with nothing but their documentation to say. */
import { param } from '../../runtime/loader/params.ts';

/** A text, undefined for what is false in Python. @param doc what it is */
export const textIfSaid = (doc: string): ReturnType<typeof param.textIfGiven> =>
  param.textIfGiven({ default: null, doc });

/** A flag, undefined for None: where the default is the function's. @param doc what it means */
export const flagIfSaid = (doc: string): ReturnType<typeof param.flagIfGiven> =>
  param.flagIfGiven({ default: null, doc });
