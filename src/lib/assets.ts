import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder of the built program. Every entry is bundled into one flat folder, so entries of other processes (the git
 * broker, workers) and data files lie beside the file that this code was bundled into.
 */
const builtFolder = dirname(fileURLToPath(import.meta.url))

/** Absolute path of a file that the build put beside the program, for example `git-broker.js`. */
export const builtFile = (name: string): string => join(builtFolder, name)
