/** The name of a job in its own file, as runners and expressions know it: jobs of called workflows stand behind their call's. */
export const shortKey = (key: string): string => (key.split('/').at(-1) as string).replace(/#\d+$/, '')
