/** Password of all demo accounts. */
export declare const demoPassword: string

/** Fills an empty server whose administrator is `root` with the demo password. */
export declare function makeDemoData(url: string): Promise<void>
