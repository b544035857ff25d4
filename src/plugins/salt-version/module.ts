/**
 * `salt_version`: releases of Salt by their names. Follows 3006.16 salt/modules/salt_version.py and salt/version.py.
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { saltCompatVersion } from '../../version.ts';

/** Releases that were named by year and month, from the first with a name. */
const DATED: ReadonlyMap<string, string> = new Map([
  ['hydrogen', '2014.1'],
  ['helium', '2014.7'],
  ['lithium', '2015.5'],
  ['beryllium', '2015.8'],
  ['boron', '2016.3'],
  ['carbon', '2016.11'],
  ['nitrogen', '2017.7'],
  ['oxygen', '2018.3'],
  ['fluorine', '2019.2'],
]);

/** Releases from 3000 on, each one number above the one before. */
const NUMBERED =
  `neon sodium magnesium aluminium silicon phosphorus sulfur chlorine argon potassium calcium scandium titanium
  vanadium chromium manganese iron cobalt nickel copper zinc gallium germanium arsenic selenium bromine krypton rubidium
  strontium yttrium zirconium niobium molybdenum technetium ruthenium rhodium palladium silver cadmium indium tin antimony
  tellurium iodine xenon cesium barium lanthanum cerium praseodymium neodymium promethium samarium europium gadolinium terbium
  dysprosium holmium erbium thulium ytterbium lutetium hafnium tantalum tungsten rhenium osmium iridium platinum gold mercury
  thallium lead bismuth polonium astatine radon francium radium actinium thorium protactinium uranium neptunium plutonium
  americium curium berkelium californium einsteinium fermium mendelevium nobelium lawrencium rutherfordium dubnium seaborgium
  bohrium hassium meitnerium darmstadtium roentgenium copernicium nihonium flerovium moscovium livermorium tennessine
  oganesson`.split(/\s+/);
const FIRST_NUMBER = 3000;

/** The number of a release; null where there is no release of that name. */
function numberOf(name: string | undefined): string | null {
  if (name === undefined) throw new CommandExecutionError("'name' argument must be a string");
  const wanted = name.toLowerCase();
  const dated = DATED.get(wanted);
  const at = NUMBERED.indexOf(wanted);
  return dated ?? (at < 0 ? null : String(FIRST_NUMBER + at));
}

/** How this minion's release stands to a named one; undefined where there is none of that name. */
function comparedWith(name: string | undefined): number | undefined {
  const number = numberOf(name);
  // numbers of releases with a date are smaller than those without
  return number === null ? undefined : Math.sign(parseInt(saltCompatVersion, 10) - Number(number));
}

const NAME = { name: param.textAlone({ doc: 'The name of a release: Sodium.' }) } as const;

/** The module. */
export const saltVersionModule = defineModule({
  name: 'salt_version',
  file: 'salt_version',
  doc: 'Releases of Salt by their names.',
  functions: {
    get_release_number: defineFunction({
      doc: 'Returns the number of a release.',
      params: NAME,
      returns: 'the number; none where there is no release of that name',
      examples: ["salt '*' salt_version.get_release_number 'Oxygen'"],
      run: (_ctx, { name }) => numberOf(name),
    }),
    equal: defineFunction({
      doc: 'Says whether the minion is of a release.',
      params: NAME,
      returns: 'true or false',
      examples: ["salt '*' salt_version.equal 'Oxygen'"],
      run: (_ctx, { name }) => comparedWith(name) === 0,
    }),
    greater_than: defineFunction({
      doc: 'Says whether the minion is of a later release.',
      params: NAME,
      returns: 'true or false',
      examples: ["salt '*' salt_version.greater_than 'Oxygen'"],
      run: (_ctx, { name }) => comparedWith(name) === 1,
    }),
    less_than: defineFunction({
      doc: 'Says whether the minion is of an earlier release.',
      params: NAME,
      returns: 'true or false',
      examples: ["salt '*' salt_version.less_than 'Oxygen'"],
      run: (_ctx, { name }) => comparedWith(name) === -1,
    }),
  },
});
