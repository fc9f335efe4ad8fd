/** Addresses of the documents that others link to. */
export const documentationPath = "/docs"

/** How each client connects. */
export const clientsPath = `${documentationPath}/clients` as const
