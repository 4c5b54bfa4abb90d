import { describe, expect, it } from "vitest";

import { asProblem, problemOf } from "./problem";

describe("problems", () => {
  it("reads what the server sends", () => {
    const body = {
      type: "/problems/validation-failed",
      title: "Invalid value",
      detail: "title is empty",
      errors: [{ pointer: "/title", code: "validation-failed", message: "title is empty" }],
    };
    const problem = problemOf(422, body, null);
    expect([problem.code, problem.detail, problem.fields[0]?.pointer]).toEqual(["validation-failed", "title is empty", "/title"]);
    expect(problemOf(429, { type: "/problems/rate-limited" }, "3").retryAfter).toBe(3);
  });

  it("knows what does not exist from what failed", () => {
    const missing = [404, 400, 422, 403, 500, 0].map((status) => problemOf(status, undefined, null).isMissing);
    expect(missing).toEqual([true, true, true, false, false, false]);
  });

  it("accepts any other body", () => {
    expect(problemOf(500, undefined, null)).toMatchObject({ status: 500, code: "http-500" });
    expect(problemOf(502, "<html>", null).title).toBe("The server answered 502");
    expect(asProblem(new TypeError("Failed to fetch"))).toMatchObject({ status: 0, code: "offline" });
    expect(asProblem("x")).toMatchObject({ code: "page-failed", detail: "x" });
  });
});
