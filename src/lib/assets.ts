import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder of the built program. The build puts all entries (the git broker, workers) and data files into one flat folder.
 */
const builtFolder = dirname(fileURLToPath(import.meta.url))

/** Returns the absolute path of a built file, such as `git-broker.js`. */
export const builtFile = (name: string): string => join(builtFolder, name)
