import { packageTexts } from '../languages/texts.ts'

/** Returns the name of a registry. */
export const typeName = (type: string): string => packageTexts.types[type] ?? type
