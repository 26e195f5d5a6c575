/** Lines that lead to a pull request that is there. */
export const visitLines = (url: string): string[] => ['', 'Visit the existing pull request:', `  ${url}`, '']

/** Lines that lead to where a pull request is made. */
export const createLines = (branch: string, url: string): string[] => [
  '',
  `Create a new pull request for '${branch}':`,
  `  ${url}`,
  '',
]
