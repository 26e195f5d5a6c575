import { switchedOn } from '../../access/requirements.ts'

/** Requires `[repository].ENABLE_FLAGS`. Without it the operations answer 404. */
export const flagsOn = switchedOn('flagsEnabled', (config) => config.repository.enableFlags)
