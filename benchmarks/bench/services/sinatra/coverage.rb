# Loaded first (ruby -r): counts the lines of the application that ran and writes them when the process ends.
require "coverage"
require "json"

Coverage.start(lines: true)

at_exit do
  root = ENV.fetch("BENCH_RUBY_ROOT")
  counted = Coverage.result.select { |file, _| file.start_with?(root) }.transform_values { |found| found[:lines] }
  File.write(ENV.fetch("BENCH_RUBY_COVERAGE"), JSON.generate(counted))
end
