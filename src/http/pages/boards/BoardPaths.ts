/** The paths of boards and of what is kept on them. */
import { sections } from "../shared/Layout.ts"

export const boardsPath = sections.boards

export const boardPath = (id: number | ":id") => `${boardsPath}/${id}` as const

export const renamePath = (id: number | ":id") => `${boardsPath}/${id}/rename` as const

export const deletePath = (id: number | ":id") => `${boardsPath}/${id}/delete` as const

/** Removes what is no longer in the catalog. */
export const removeGonePath = (id: number | ":id") => `${boardsPath}/${id}/remove-gone` as const

export const keepPath = `${boardsPath}/keep` as const

export const notePath = (id: number | ":id") => `${boardsPath}/items/${id}/note` as const

export const removePath = (id: number | ":id") => `${boardsPath}/items/${id}/remove` as const
