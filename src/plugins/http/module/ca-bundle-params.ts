/** What `http.update_ca_bundle` takes, as an execution function and as a runner. */

/** Its parameters. */
export const CA_BUNDLE_PARAMS = {
  target: param.textOrNone({
    default: null,
    doc: 'The file; default the option `ca_bundle`, else that of the system.',
  }),
  source: param.textOrNone({ default: null, doc: 'Where from; default the option `ca_bundle_url`.' }),
  merge_files: param.value({ default: null, type: 'str or list', doc: 'Files to add at the end.' }),
} as const;
import { param } from '../../../runtime/loader/params.ts';
