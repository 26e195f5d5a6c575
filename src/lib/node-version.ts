/** The oldest release of Node that the program runs on; `engines` in package.json says the same. */
const oldestMajor = 24

/** What is wrong with a version of Node (`20.1.0`), and what to do; undefined when the program runs on it. */
export const nodeProblem = (version: string): string | undefined =>
  Number(version.split('.', 1)[0]) >= oldestMajor
    ? undefined
    : `Node ${oldestMajor} or newer is needed, and this is Node ${version}; https://nodejs.org/en/download has it`
