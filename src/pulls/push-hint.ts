/** Lines that lead to a pull request: one that was there before the push, or one that the push has made. */
export const visitLines = (url: string, age: 'existing' | 'new'): string[] => [
  '',
  `Visit the ${age} pull request:`,
  `  ${url}`,
  '',
]

/** Lines that lead to where a pull request is made. */
export const createLines = (branch: string, url: string): string[] => [
  '',
  `Create a new pull request for '${branch}':`,
  `  ${url}`,
  '',
]
