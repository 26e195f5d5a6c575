/** Largest summary of a step, and of all steps of a job together, in bytes. */
export const maxSummaryBytes = 1024 * 1024
export const maxSummariesBytes = 4 * 1024 * 1024
