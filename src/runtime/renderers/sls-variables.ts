/** The variables that tell a template where it is (3006.16 salt/utils/templates.py `generate_sls_context`). */

/**
 * `slspath`, `tpldir` and their like.
 * @param path the file; '' when there is none
 * @param sls the SLS by its name, or '' for other templates
 */
export function slsVariables(path: string, sls: string): [string, string][] {
  let slspath = sls.replaceAll('.', '/');
  const out: [string, string][] = [];
  if (path !== '') {
    let template = path;
    if (sls === '') template = path.slice(path.lastIndexOf('/') + 1);
    else if (path.endsWith(`${slspath}.sls`)) template = path.slice(-(4 + slspath.length));
    else if (path.endsWith(`${slspath}/init.sls`)) template = path.slice(-(9 + slspath.length));
    slspath = template.includes('/') ? template.slice(0, template.lastIndexOf('/')) : '';
    out.push(
      ['tplpath', path],
      ['tplfile', template],
      ['tpldir', slspath === '' ? '.' : slspath],
      ['tpldot', slspath.replaceAll('/', '.')],
    );
  }
  out.push(
    ['slspath', slspath],
    ['slsdotpath', slspath.replaceAll('/', '.')],
    ['slscolonpath', slspath.replaceAll('/', ':')],
    ['sls_path', slspath.replaceAll('/', '_')],
  );
  return out;
}
