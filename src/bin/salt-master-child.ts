import { runMasterChild } from '../programs/master/child.ts';

runMasterChild();
