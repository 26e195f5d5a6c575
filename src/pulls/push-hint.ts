/** Returns the lines of a push's output that show the URL of its pull request. */
export const visitLines = (url: string, age: 'existing' | 'new'): string[] => [
  '',
  `Visit the ${age} pull request:`,
  `  ${url}`,
  '',
]

/** Returns the lines of a push's output that show the URL for creating a pull request. */
export const createLines = (branch: string, url: string): string[] => [
  '',
  `Create a new pull request for '${branch}':`,
  `  ${url}`,
  '',
]
