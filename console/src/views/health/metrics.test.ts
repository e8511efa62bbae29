import { expect, test } from "vitest";
import { between, cached, figure, quantile, samples, verbs } from "./metrics";

const TEXT = `# HELP foveal_requests_total Requests.
foveal_requests_total{code="ok",door="http",verb="read"} 8.0
foveal_requests_total{code="invalid",door="http",verb="read"} 2.0
foveal_request_seconds_bucket{door="http",le="0.01",verb="read"} 5.0
foveal_request_seconds_bucket{door="http",le="0.1",verb="read"} 10.0
foveal_request_seconds_bucket{door="http",le="+Inf",verb="read"} 10.0
foveal_bus_subscribers 1.0
`;

test("requests, failures and times are read by verb", () => {
  const read = verbs(samples(TEXT)).get("read");
  expect(read).toMatchObject({ requests: 10, failed: 2 });
  expect(quantile(read?.buckets ?? [], 0.5)).toBeCloseTo(0.01);
  expect(quantile(read?.buckets ?? [], 0.95)).toBeCloseTo(0.091);
  expect(figure(samples(TEXT), "foveal_bus_subscribers")).toBe(1);
  expect(figure(samples(TEXT), "nothing")).toBeNull();
});

test("only what came since the last look counts, and nothing gives no time", () => {
  const read = verbs(samples(TEXT)).get("read")?.buckets ?? [];
  expect(quantile(between(read, read), 0.95)).toBeNull();
});

test("each cache says how much of what it was asked for it knew", () => {
  const all = samples(`foveal_cache_total{kind="vector",known="yes"} 3.0
foveal_cache_total{kind="vector",known="no"} 1.0
foveal_cache_total{kind="ranking",known="yes"} 0.0
foveal_cache_total{kind="ranking",known="no"} 0.0
`);
  expect(cached(all, "vector", "text")).toBe("knew 3 of 4 texts, 75 %");
  expect(cached(all, "ranking", "question")).toBe("not asked yet");
});
