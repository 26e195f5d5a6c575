/** The output by which any runner evaluates the address of a deployment. Jobs that need the job do not see it. */
export const environmentOutput = 'ingot_environment_url'

/** Longest address of a deployment, in characters. */
export const maxUrlLength = 2000
