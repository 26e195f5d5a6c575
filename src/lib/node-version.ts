/** The oldest release of Node that the program runs on; `engines` in package.json says the same. */
const oldestMajor = 24

/** Returns why a version of Node (`20.1.0`) is unsupported and the next step; undefined when it is supported. */
export const nodeProblem = (version: string): string | undefined =>
  Number(version.split('.', 1)[0]) >= oldestMajor
    ? undefined
    : `Node ${oldestMajor} or newer is needed, and this is Node ${version}; https://nodejs.org/en/download has it`
