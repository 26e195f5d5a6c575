/** Longest text that is searched in code, in UTF-16 units. */
export const maxSearchLength = 200
